-- The triggers of the first schema. Each refuses a change of a row if its condition holds, on both databases alike.

-- # I1: nobody verifies a question about an image they wrote for, nor writes for one they verified

-- slot_insert_not_own: INSERT slot: a person who wrote for an image cannot verify questions about it
NEW.annotator_id IS NOT NULL AND EXISTS (SELECT 1 FROM session s WHERE s.image_id = (SELECT q.image_id FROM question
q WHERE q.id = NEW.question_id) AND s.annotator_id = NEW.annotator_id);

-- slot_update_not_own: UPDATE slot: a person who wrote for an image cannot verify questions about it
NEW.annotator_id IS NOT NULL AND EXISTS (SELECT 1 FROM session s WHERE s.image_id = (SELECT q.image_id FROM question
q WHERE q.id = NEW.question_id) AND s.annotator_id = NEW.annotator_id);

-- verification_not_own: INSERT verification: a person who wrote for an image cannot verify questions about it
NEW.annotator_id IS NOT NULL AND EXISTS (SELECT 1 FROM session s WHERE s.image_id = (SELECT q.image_id FROM question
q WHERE q.id = NEW.question_id) AND s.annotator_id = NEW.annotator_id);

-- session_not_verifier: INSERT session: a person who verified for an image cannot write
EXISTS (SELECT 1 FROM question q JOIN lease v ON v.question_id = q.id WHERE q.image_id = NEW.image_id AND
v.annotator_id = NEW.annotator_id);

-- # I3, I4 and I5: as many slots, places and tries as the study says

-- slot_count: INSERT slot: too many slots
NEW.n > (SELECT verifiers FROM study);

-- place_count: INSERT place: too many places
NEW.n > (SELECT writers FROM study);

-- question_tries: UPDATE question: too many tries
NEW.try_no IS NOT NULL AND NEW.try_no > (SELECT max_tries FROM study);

-- # I3, I6, I8, I13, I17 and I20: what is done stays done

-- slot_done_is_final: UPDATE slot: a finished slot is final
OLD.state = 'DONE' AND NOT (NEW.state = 'OPEN' AND EXISTS (SELECT 1 FROM annotator a WHERE a.id = OLD.annotator_id
AND a.excluded_at IS NOT NULL));

-- session_end_is_final: UPDATE session: a session that ended stays so
OLD.state <> 'LEASED' AND NEW.state <> OLD.state;

-- question_needs_session: INSERT question: the session is over
(SELECT s.state FROM session s WHERE s.id = NEW.session_id) <> 'LEASED';

-- round_goes_forward: UPDATE round: a round only goes forward, one state at a time
NEW.state <> OLD.state AND NOT ((OLD.state = 'DRAFT' AND NEW.state = 'READY') OR (OLD.state = 'READY' AND NEW.state
= 'OPEN') OR (OLD.state = 'OPEN' AND NEW.state = 'DRAINING') OR (OLD.state = 'DRAINING' AND NEW.state = 'FROZEN') OR
(OLD.state = 'FROZEN' AND NEW.state = 'RELEASED'));

-- study_is_fixed: UPDATE study: the settings are fixed once a round has opened
EXISTS (SELECT 1 FROM round r WHERE r.opened_at IS NOT NULL) AND (NEW.settings <> OLD.settings OR NEW.seed <> OLD.seed
OR NEW.writers <> OLD.writers OR NEW.verifiers <> OLD.verifiers OR NEW.max_tries <> OLD.max_tries);

-- annotator_identity_is_final: UPDATE annotator: a pseudonym and an identity are final
NEW.pseudonym <> OLD.pseudonym OR (OLD.identity IS NOT NULL AND (COALESCE(NEW.identity <> OLD.identity,
(NEW.identity IS NULL) <> (OLD.identity IS NULL))));

-- judgement_is_final: UPDATE judgement: a judgement is final
NEW.verdict <> OLD.verdict OR NEW.annotator_id <> OLD.annotator_id OR COALESCE(NEW.answer, '') <> '';

-- prediction_is_final: UPDATE prediction: a prediction is final
NEW.model_id <> OLD.model_id OR NEW.answer <> '';

-- verification_is_final: UPDATE verification: a verification is final
NEW.annotator_id <> OLD.annotator_id OR (NEW.slot_n IS NOT NULL AND OLD.slot_n IS NULL) OR NEW.slot_n <> OLD.slot_n
OR (NEW.answer <> OLD.answer AND NEW.answer <> '');

-- # I13: a frozen round does not change, except that a text can be blanked on request

-- session_insert_frozen: INSERT session: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = NEW.image_id) IN ('FROZEN', 'RELEASED');

-- session_update_frozen: UPDATE session: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = NEW.image_id) IN ('FROZEN', 'RELEASED');

-- place_insert_frozen: INSERT place: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = NEW.image_id) IN ('FROZEN', 'RELEASED');

-- place_update_frozen: UPDATE place: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = NEW.image_id) IN ('FROZEN', 'RELEASED');

-- question_insert_frozen: INSERT question: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = NEW.image_id) IN ('FROZEN', 'RELEASED');

-- question_update_frozen: UPDATE question: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = NEW.image_id) IN ('FROZEN', 'RELEASED')
AND NOT (NEW.text = '' AND NEW.standing = 'REMOVED' AND NOT (COALESCE(NEW.state <> OLD.state, (NEW.state IS NULL) <>
(OLD.state IS NULL)) OR COALESCE(NEW.type <> OLD.type, (NEW.type IS NULL) <> (OLD.type IS NULL)) OR
COALESCE(NEW.split <> OLD.split, (NEW.split IS NULL) <> (OLD.split IS NULL)) OR COALESCE(NEW.frozen_sha256 <>
OLD.frozen_sha256, (NEW.frozen_sha256 IS NULL) <> (OLD.frozen_sha256 IS NULL)) OR COALESCE(NEW.try_no <> OLD.try_no,
(NEW.try_no IS NULL) <> (OLD.try_no IS NULL)) OR COALESCE(NEW.done <> OLD.done, (NEW.done IS NULL) <> (OLD.done IS
NULL)) OR COALESCE(NEW.same_as <> OLD.same_as, (NEW.same_as IS NULL) <> (OLD.same_as IS NULL)) OR
COALESCE(NEW.text_rule_removed <> OLD.text_rule_removed, (NEW.text_rule_removed IS NULL) <> (OLD.text_rule_removed
IS NULL))));

-- draw_insert_frozen: INSERT draw: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = (SELECT q.image_id FROM question q WHERE
q.id = NEW.question_id)) IN ('FROZEN', 'RELEASED');

-- draw_update_frozen: UPDATE draw: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = (SELECT q.image_id FROM question q WHERE
q.id = NEW.question_id)) IN ('FROZEN', 'RELEASED');

-- prediction_insert_frozen: INSERT prediction: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = (SELECT q.image_id FROM question q WHERE
q.id = NEW.question_id)) IN ('FROZEN', 'RELEASED');

-- prediction_update_frozen: UPDATE prediction: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = (SELECT q.image_id FROM question q WHERE
q.id = NEW.question_id)) IN ('FROZEN', 'RELEASED') AND NEW.answer <> '';

-- judgement_insert_frozen: INSERT judgement: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = (SELECT q.image_id FROM question q WHERE
q.id = NEW.question_id)) IN ('FROZEN', 'RELEASED');

-- judgement_update_frozen: UPDATE judgement: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = (SELECT q.image_id FROM question q WHERE
q.id = NEW.question_id)) IN ('FROZEN', 'RELEASED') AND COALESCE(NEW.answer, '') <> '';

-- slot_insert_frozen: INSERT slot: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = (SELECT q.image_id FROM question q WHERE
q.id = NEW.question_id)) IN ('FROZEN', 'RELEASED');

-- slot_update_frozen: UPDATE slot: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = (SELECT q.image_id FROM question q WHERE
q.id = NEW.question_id)) IN ('FROZEN', 'RELEASED');

-- lease_insert_frozen: INSERT lease: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = (SELECT q.image_id FROM question q WHERE
q.id = NEW.question_id)) IN ('FROZEN', 'RELEASED');

-- lease_update_frozen: UPDATE lease: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = (SELECT q.image_id FROM question q WHERE
q.id = NEW.question_id)) IN ('FROZEN', 'RELEASED');

-- verification_insert_frozen: INSERT verification: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = (SELECT q.image_id FROM question q WHERE
q.id = NEW.question_id)) IN ('FROZEN', 'RELEASED');

-- verification_update_frozen: UPDATE verification: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = (SELECT q.image_id FROM question q WHERE
q.id = NEW.question_id)) IN ('FROZEN', 'RELEASED') AND NEW.answer <> '';

-- image_update_frozen: UPDATE image: the round is frozen
(SELECT r.state FROM round r JOIN image i ON i.round_id = r.id WHERE i.id = OLD.id) IN ('FROZEN', 'RELEASED') AND
(COALESCE(NEW.split <> OLD.split, (NEW.split IS NULL) <> (OLD.split IS NULL)) OR COALESCE(NEW.round_id <>
OLD.round_id, (NEW.round_id IS NULL) <> (OLD.round_id IS NULL)) OR COALESCE(NEW.sha256 <> OLD.sha256, (NEW.sha256 IS
NULL) <> (OLD.sha256 IS NULL)) OR COALESCE(NEW.suffix <> OLD.suffix, (NEW.suffix IS NULL) <> (OLD.suffix IS NULL))
OR COALESCE(NEW.name <> OLD.name, (NEW.name IS NULL) <> (OLD.name IS NULL)) OR COALESCE(NEW.domain <> OLD.domain,
(NEW.domain IS NULL) <> (OLD.domain IS NULL)) OR COALESCE(NEW.width <> OLD.width, (NEW.width IS NULL) <> (OLD.width
IS NULL)) OR COALESCE(NEW.height <> OLD.height, (NEW.height IS NULL) <> (OLD.height IS NULL)));

-- round_update_frozen: UPDATE round: the round is frozen
OLD.state IN ('FROZEN', 'RELEASED') AND (COALESCE(NEW.number <> OLD.number, (NEW.number IS NULL) <> (OLD.number IS
NULL)) OR COALESCE(NEW.freeze_seed <> OLD.freeze_seed, (NEW.freeze_seed IS NULL) <> (OLD.freeze_seed IS NULL)) OR
COALESCE(NEW.snapshot <> OLD.snapshot, (NEW.snapshot IS NULL) <> (OLD.snapshot IS NULL)) OR COALESCE(NEW.frozen_at
<> OLD.frozen_at, (NEW.frozen_at IS NULL) <> (OLD.frozen_at IS NULL)));

-- # I16 and I17: rows of people's work and events are never deleted, and events never change

-- session_is_kept: DELETE session: rows of this table are kept
TRUE;

-- question_is_kept: DELETE question: rows of this table are kept
TRUE;

-- draw_is_kept: DELETE draw: rows of this table are kept
TRUE;

-- prediction_is_kept: DELETE prediction: rows of this table are kept
TRUE;

-- judgement_is_kept: DELETE judgement: rows of this table are kept
TRUE;

-- slot_is_kept: DELETE slot: rows of this table are kept
TRUE;

-- lease_is_kept: DELETE lease: rows of this table are kept
TRUE;

-- verification_is_kept: DELETE verification: rows of this table are kept
TRUE;

-- event_is_kept: DELETE event: rows of this table are kept
TRUE;

-- event_is_final: UPDATE event: events are append-only
TRUE;

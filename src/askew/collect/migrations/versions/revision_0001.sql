CREATE TABLE annotator (
    id SERIAL NOT NULL,
    name VARCHAR NOT NULL,
    pseudonym VARCHAR NOT NULL,  -- what releases call this person
    role VARCHAR NOT NULL,
    password_hash VARCHAR,
    platform TEXT NOT NULL DEFAULT '{}',  -- ids a platform gave, as JSON, as they came
    identity VARCHAR(64),  -- keyed hash of the platform's id of the person; never blanked
    invite_id INTEGER,  -- the platform link that the person used last, at entered_at
    entered_at BIGINT,
    simulated BOOLEAN NOT NULL DEFAULT FALSE,
    consent_version VARCHAR,
    consented_at BIGINT,
    created_at BIGINT NOT NULL,
    qualified_at BIGINT,
    excluded_at BIGINT,
    excluded_reason VARCHAR,
    deleted_at BIGINT,
    CONSTRAINT pk_annotator PRIMARY KEY (id),
    CONSTRAINT ck_annotator_role CHECK (role IN ('owner', 'annotator')),
    CONSTRAINT uq_annotator_name UNIQUE (name),
    CONSTRAINT uq_annotator_pseudonym UNIQUE (pseudonym),
    CONSTRAINT uq_annotator_identity UNIQUE (identity)
);
CREATE TABLE model (
    id SERIAL NOT NULL,
    name VARCHAR NOT NULL,
    spec VARCHAR NOT NULL,
    signature TEXT NOT NULL DEFAULT '',
    CONSTRAINT pk_model PRIMARY KEY (id),
    CONSTRAINT uq_model_name UNIQUE (name)
);
CREATE TABLE quiz_item (
    id SERIAL NOT NULL,
    sha256 VARCHAR(64) NOT NULL,
    suffix VARCHAR(8) NOT NULL,
    question VARCHAR NOT NULL,
    robot_answer VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL,  -- the right judgement
    hint VARCHAR NOT NULL DEFAULT '',
    active BOOLEAN NOT NULL,
    CONSTRAINT pk_quiz_item PRIMARY KEY (id),
    CONSTRAINT ck_quiz_item_verdict CHECK (verdict IN ('correct', 'wrong', 'unsure'))
);
CREATE TABLE round (
    id SERIAL NOT NULL,
    number INTEGER NOT NULL,
    state VARCHAR NOT NULL,
    freeze_seed BIGINT,
    created_at BIGINT NOT NULL,
    opened_at BIGINT,
    frozen_at BIGINT,
    snapshot VARCHAR,  -- SHA-256 of the hashes of its questions when it was frozen
    CONSTRAINT pk_round PRIMARY KEY (id),
    CONSTRAINT ck_round_state CHECK (state IN ('DRAFT', 'READY', 'OPEN', 'DRAINING', 'FROZEN', 'RELEASED')),
    CONSTRAINT ck_round_snapshot CHECK ((snapshot IS NOT NULL) = (state IN ('FROZEN', 'RELEASED'))),
    CONSTRAINT uq_round_number UNIQUE (number)
);
CREATE UNIQUE INDEX uq_round_open ON round (state) WHERE state = 'OPEN';
CREATE TABLE snapshot (
    id SERIAL NOT NULL,
    version VARCHAR NOT NULL,
    rounds TEXT NOT NULL,
    manifest_sha256 VARCHAR(64) NOT NULL,
    removed TEXT NOT NULL DEFAULT '[]',
    at BIGINT NOT NULL,
    CONSTRAINT pk_snapshot PRIMARY KEY (id),
    CONSTRAINT uq_snapshot_version UNIQUE (version)
);
CREATE TABLE study (
    id INTEGER NOT NULL CONSTRAINT ck_study_one CHECK (id = 1),
    name VARCHAR NOT NULL,
    settings TEXT NOT NULL,
    writers INTEGER NOT NULL,
    verifiers INTEGER NOT NULL,
    max_tries INTEGER NOT NULL,  -- this and the two above: the settings that triggers need
    seed BIGINT NOT NULL,
    key_check VARCHAR(16),  -- shows whether a key is the one that the identities are hashed with
    created_at BIGINT NOT NULL,
    CONSTRAINT pk_study PRIMARY KEY (id)
);
CREATE TABLE ensemble_member (
    round_id INTEGER NOT NULL,
    model_id INTEGER NOT NULL,
    active BOOLEAN NOT NULL,
    CONSTRAINT pk_ensemble_member PRIMARY KEY (round_id, model_id),
    CONSTRAINT fk_ensemble_member_round_id FOREIGN KEY(round_id) REFERENCES round (id),
    CONSTRAINT fk_ensemble_member_model_id FOREIGN KEY(model_id) REFERENCES model (id)
);
CREATE TABLE event (
    id SERIAL NOT NULL,
    at BIGINT NOT NULL,
    actor_id INTEGER,
    kind VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    data TEXT NOT NULL DEFAULT '{}',
    CONSTRAINT pk_event PRIMARY KEY (id),
    CONSTRAINT fk_event_actor_id FOREIGN KEY(actor_id) REFERENCES annotator (id)
);
CREATE INDEX ix_event_kind ON event (kind);
CREATE TABLE form (
    form_key VARCHAR NOT NULL,
    annotator_id INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    result TEXT NOT NULL,
    at BIGINT NOT NULL,
    CONSTRAINT pk_form PRIMARY KEY (form_key),
    CONSTRAINT fk_form_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);
CREATE TABLE image (
    id SERIAL NOT NULL,
    round_id INTEGER NOT NULL,
    sha256 VARCHAR(64) NOT NULL,
    source_sha256 VARCHAR(64) NOT NULL,  -- of the imported file; sha256 is of the stored one
    suffix VARCHAR(8) NOT NULL,
    name VARCHAR NOT NULL,  -- of the imported file
    domain VARCHAR NOT NULL DEFAULT '',
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    split VARCHAR,
    hidden_at BIGINT,
    CONSTRAINT pk_image PRIMARY KEY (id),
    CONSTRAINT ck_image_split CHECK (split IN ('train', 'dev', 'test')),
    CONSTRAINT fk_image_round_id FOREIGN KEY(round_id) REFERENCES round (id),
    CONSTRAINT uq_image_sha256 UNIQUE (sha256),
    CONSTRAINT uq_image_source_sha256 UNIQUE (source_sha256)
);
CREATE INDEX ix_image_round_id ON image (round_id);
CREATE TABLE invite (
    id SERIAL NOT NULL,
    token_hash VARCHAR(64) NOT NULL,
    role VARCHAR NOT NULL,
    annotator_id INTEGER,
    completion_code VARCHAR,
    tasks INTEGER NOT NULL DEFAULT 1,  -- finished tasks until the code is shown
    return_url VARCHAR,  -- the address on the platform to go back to
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    used_at BIGINT,
    CONSTRAINT pk_invite PRIMARY KEY (id),
    CONSTRAINT ck_invite_role CHECK (role IN ('owner', 'annotator')),
    CONSTRAINT uq_invite_token_hash UNIQUE (token_hash),
    CONSTRAINT fk_invite_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);
CREATE TABLE login (
    token_hash VARCHAR(64) NOT NULL,
    annotator_id INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    CONSTRAINT pk_login PRIMARY KEY (token_hash),
    CONSTRAINT fk_login_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);
CREATE INDEX ix_login_annotator_id ON login (annotator_id);
CREATE TABLE qualification (
    id SERIAL NOT NULL,
    annotator_id INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    answers TEXT NOT NULL,  -- quiz item to verdict, as JSON
    correct INTEGER NOT NULL,
    asked INTEGER NOT NULL,
    passed BOOLEAN NOT NULL,
    at BIGINT NOT NULL,
    CONSTRAINT pk_qualification PRIMARY KEY (id),
    CONSTRAINT uq_qualification_annotator_id_attempt UNIQUE (annotator_id, attempt),
    CONSTRAINT fk_qualification_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);
CREATE TABLE session (
    id SERIAL NOT NULL,
    image_id INTEGER NOT NULL,
    annotator_id INTEGER NOT NULL,
    state VARCHAR NOT NULL,
    extensions INTEGER NOT NULL DEFAULT 0,
    reason VARCHAR NOT NULL DEFAULT '',
    started_at BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    ended_at BIGINT,
    CONSTRAINT pk_session PRIMARY KEY (id),
    CONSTRAINT uq_session_image_id_annotator_id UNIQUE (image_id, annotator_id),
    CONSTRAINT uq_session_id_annotator_id UNIQUE (id, annotator_id),
    CONSTRAINT uq_session_id_image_id_annotator_id UNIQUE (id, image_id, annotator_id),
    CONSTRAINT ck_session_state CHECK (state IN ('LEASED', 'SUCCEEDED', 'EXHAUSTED', 'RELEASED', 'EXPIRED')),
    CONSTRAINT ck_session_ended CHECK ((ended_at IS NULL) = (state = 'LEASED')),
    CONSTRAINT fk_session_image_id FOREIGN KEY(image_id) REFERENCES image (id),
    CONSTRAINT fk_session_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);
CREATE INDEX ix_session_annotator_id ON session (annotator_id);
CREATE INDEX ix_session_state_lease_until ON session (state, lease_until);
CREATE UNIQUE INDEX uq_session_leased ON session (annotator_id) WHERE state = 'LEASED';
CREATE TABLE place (
    image_id INTEGER NOT NULL,
    n INTEGER NOT NULL CONSTRAINT ck_place_n CHECK (n >= 1),
    session_id INTEGER,
    CONSTRAINT pk_place PRIMARY KEY (image_id, n),
    CONSTRAINT fk_place_image_id FOREIGN KEY(image_id) REFERENCES image (id),
    CONSTRAINT uq_place_session_id UNIQUE (session_id),
    CONSTRAINT fk_place_session_id FOREIGN KEY(session_id) REFERENCES session (id)
);
CREATE INDEX ix_place_free ON place (session_id, image_id, n);
CREATE INDEX ix_place_free_order ON place (image_id, n) WHERE session_id IS NULL;
CREATE TABLE question (
    id SERIAL NOT NULL,
    session_id INTEGER NOT NULL,
    image_id INTEGER NOT NULL,
    annotator_id INTEGER NOT NULL,
    text VARCHAR NOT NULL,
    normalised VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    standing VARCHAR NOT NULL DEFAULT 'OK',
    try_no INTEGER CONSTRAINT ck_question_try_no CHECK (try_no >= 1),  -- given with the prediction
    done INTEGER NOT NULL DEFAULT 0,  -- verifications that count
    same_as INTEGER,  -- an earlier writer's same question on this image
    asked_at BIGINT NOT NULL,
    type VARCHAR,
    text_rule_removed BOOLEAN,
    split VARCHAR,
    frozen_sha256 VARCHAR(64),  -- of its record when the round was frozen
    CONSTRAINT pk_question PRIMARY KEY (id),
    CONSTRAINT uq_question_session_id_try_no UNIQUE (session_id, try_no),
    CONSTRAINT uq_question_session_id_normalised UNIQUE (session_id, normalised),
    CONSTRAINT uq_question_id_annotator_id UNIQUE (id, annotator_id),
    CONSTRAINT fk_question_session_id_image_id_annotator_id FOREIGN KEY(session_id, image_id, annotator_id) REFERENCES session (id, image_id, annotator_id),
    CONSTRAINT ck_question_state CHECK (state IN ('ASKED', 'ANSWERED', 'MODEL_FAILED', 'CORRECT', 'UNSURE', 'VERIFYING', 'VERIFIED', 'ABANDONED', 'WITHDRAWN')),
    CONSTRAINT ck_question_standing CHECK (standing IN ('OK', 'QUARANTINED', 'REMOVED')),
    CONSTRAINT ck_question_type CHECK (type IN ('A', 'B', 'C', 'D', 'E', 'U')),
    CONSTRAINT ck_question_split CHECK (split IN ('train', 'dev', 'test')),
    CONSTRAINT ck_question_split_type CHECK (split IS NULL OR type = 'E' OR (split = 'train' AND type IN ('A', 'C'))),
    CONSTRAINT fk_question_session_id FOREIGN KEY(session_id) REFERENCES session (id),
    CONSTRAINT fk_question_image_id FOREIGN KEY(image_id) REFERENCES image (id),
    CONSTRAINT fk_question_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id),
    CONSTRAINT fk_question_same_as FOREIGN KEY(same_as) REFERENCES question (id)
);
CREATE INDEX ix_question_annotator_id ON question (annotator_id);
CREATE INDEX ix_question_image_id ON question (image_id);
CREATE INDEX ix_question_work ON question (state, done DESC, id);
CREATE TABLE draw (
    question_id INTEGER NOT NULL,
    n INTEGER NOT NULL CONSTRAINT ck_draw_n CHECK (n >= 1),
    model_id INTEGER NOT NULL,
    seed BIGINT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    outcome VARCHAR,  -- NULL until the model answered or failed for good
    error VARCHAR,
    drawn_at BIGINT NOT NULL,
    ended_at BIGINT,
    CONSTRAINT pk_draw PRIMARY KEY (question_id, n),
    CONSTRAINT uq_draw_question_id_n_model_id UNIQUE (question_id, n, model_id),
    CONSTRAINT ck_draw_outcome CHECK (outcome IN ('OK', 'FAILED')),
    CONSTRAINT fk_draw_question_id FOREIGN KEY(question_id) REFERENCES question (id),
    CONSTRAINT fk_draw_model_id FOREIGN KEY(model_id) REFERENCES model (id)
);
CREATE TABLE flag (
    id SERIAL NOT NULL,
    question_id INTEGER,
    image_id INTEGER,
    annotator_id INTEGER NOT NULL,
    reason VARCHAR NOT NULL,
    at BIGINT NOT NULL,
    resolved_at BIGINT,
    CONSTRAINT pk_flag PRIMARY KEY (id),
    CONSTRAINT uq_flag_question_id_annotator_id UNIQUE (question_id, annotator_id),
    CONSTRAINT uq_flag_image_id_annotator_id UNIQUE (image_id, annotator_id),
    CONSTRAINT ck_flag_subject CHECK ((question_id IS NULL) <> (image_id IS NULL)),
    CONSTRAINT fk_flag_question_id FOREIGN KEY(question_id) REFERENCES question (id),
    CONSTRAINT fk_flag_image_id FOREIGN KEY(image_id) REFERENCES image (id),
    CONSTRAINT fk_flag_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);
CREATE TABLE gold_item (
    id SERIAL NOT NULL,
    sha256 VARCHAR(64) NOT NULL,
    suffix VARCHAR(8) NOT NULL,  -- of the image, which is in the study's folder
    question VARCHAR NOT NULL,
    answers TEXT NOT NULL,  -- the answers that pass, normalised, as a JSON list
    question_id INTEGER,
    state VARCHAR NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT pk_gold_item PRIMARY KEY (id),
    CONSTRAINT uq_gold_item_sha256_question UNIQUE (sha256, question),
    CONSTRAINT uq_gold_item_question_id UNIQUE (question_id),
    CONSTRAINT ck_gold_item_state CHECK (state IN ('ACTIVE', 'RETIRED', 'VOID')),
    CONSTRAINT fk_gold_item_question_id FOREIGN KEY(question_id) REFERENCES question (id)
);
CREATE TABLE judgement (
    question_id INTEGER NOT NULL,
    annotator_id INTEGER NOT NULL,
    verdict VARCHAR NOT NULL,
    answer VARCHAR,
    normalised VARCHAR,
    confidence VARCHAR,
    at BIGINT NOT NULL,
    CONSTRAINT pk_judgement PRIMARY KEY (question_id),
    CONSTRAINT ck_judgement_confidence CHECK (confidence IN ('yes', 'maybe', 'no')),
    CONSTRAINT fk_judgement_question_id_annotator_id FOREIGN KEY(question_id, annotator_id) REFERENCES question (id, annotator_id),
    CONSTRAINT ck_judgement_verdict CHECK (verdict IN ('correct', 'wrong', 'unsure')),
    CONSTRAINT ck_judgement_answer CHECK ((verdict = 'wrong') = (answer IS NOT NULL)),
    CONSTRAINT ck_judgement_normalised CHECK ((answer IS NULL) = (normalised IS NULL))
);
CREATE TABLE slot (
    question_id INTEGER NOT NULL,
    n INTEGER NOT NULL CONSTRAINT ck_slot_n CHECK (n >= 1),
    state VARCHAR NOT NULL,
    annotator_id INTEGER,
    leased_at BIGINT,
    lease_until BIGINT,
    extensions INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT pk_slot PRIMARY KEY (question_id, n),
    CONSTRAINT uq_slot_question_id_annotator_id UNIQUE (question_id, annotator_id),
    CONSTRAINT ck_slot_state CHECK (state IN ('OPEN', 'LEASED', 'DONE')),
    CONSTRAINT ck_slot_holder CHECK ((state = 'OPEN') = (annotator_id IS NULL)),
    CONSTRAINT ck_slot_lease CHECK ((state = 'OPEN') = (lease_until IS NULL)),
    CONSTRAINT fk_slot_question_id FOREIGN KEY(question_id) REFERENCES question (id),
    CONSTRAINT fk_slot_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);
CREATE INDEX ix_slot_annotator_id_state ON slot (annotator_id, state);
CREATE INDEX ix_slot_state_lease_until ON slot (state, lease_until);
CREATE TABLE gold_result (
    id SERIAL NOT NULL,
    gold_id INTEGER NOT NULL,
    annotator_id INTEGER NOT NULL,
    answer VARCHAR,  -- the first; NULL until answered
    confidence VARCHAR,
    passed BOOLEAN,
    skipped VARCHAR,  -- the reason for skipping it
    extensions INTEGER NOT NULL DEFAULT 0,
    shown_at BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    at BIGINT,
    CONSTRAINT pk_gold_result PRIMARY KEY (id),
    CONSTRAINT ck_gold_result_confidence CHECK (confidence IN ('yes', 'maybe', 'no')),
    CONSTRAINT uq_gold_result_gold_id_annotator_id UNIQUE (gold_id, annotator_id),
    CONSTRAINT ck_gold_result_passed CHECK ((answer IS NULL) = (passed IS NULL)),
    CONSTRAINT ck_gold_result_sure CHECK ((answer IS NULL) = (confidence IS NULL)),
    CONSTRAINT ck_gold_result_once CHECK (answer IS NULL OR skipped IS NULL),
    CONSTRAINT fk_gold_result_gold_id FOREIGN KEY(gold_id) REFERENCES gold_item (id),
    CONSTRAINT fk_gold_result_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);
CREATE INDEX ix_gold_result_annotator_id ON gold_result (annotator_id);
CREATE UNIQUE INDEX uq_gold_result_held ON gold_result (annotator_id) WHERE answer IS NULL AND skipped IS NULL;
CREATE TABLE lease (
    id SERIAL NOT NULL,
    question_id INTEGER NOT NULL,
    slot_n INTEGER NOT NULL,
    annotator_id INTEGER NOT NULL,
    leased_at BIGINT NOT NULL,
    ended_at BIGINT,
    outcome VARCHAR,
    reason VARCHAR NOT NULL DEFAULT '',
    CONSTRAINT pk_lease PRIMARY KEY (id),
    CONSTRAINT fk_lease_question_id_slot_n FOREIGN KEY(question_id, slot_n) REFERENCES slot (question_id, n),
    CONSTRAINT ck_lease_outcome CHECK (outcome IN ('DONE', 'EXPIRED', 'SKIPPED', 'STOPPED')),
    CONSTRAINT ck_lease_ended CHECK ((ended_at IS NULL) = (outcome IS NULL)),
    CONSTRAINT fk_lease_question_id FOREIGN KEY(question_id) REFERENCES question (id),
    CONSTRAINT fk_lease_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);
CREATE INDEX ix_lease_annotator_id ON lease (annotator_id);
CREATE INDEX ix_lease_question_id_annotator_id ON lease (question_id, annotator_id);
CREATE TABLE prediction (
    question_id INTEGER NOT NULL,
    draw_n INTEGER NOT NULL,
    model_id INTEGER NOT NULL,
    raw TEXT NOT NULL,
    answer TEXT NOT NULL,
    normalised TEXT NOT NULL,
    score FLOAT,
    seconds FLOAT NOT NULL DEFAULT 0,
    at BIGINT NOT NULL,
    CONSTRAINT pk_prediction PRIMARY KEY (question_id),
    CONSTRAINT fk_prediction_question_id_draw_n_model_id FOREIGN KEY(question_id, draw_n, model_id) REFERENCES draw (question_id, n, model_id),
    CONSTRAINT fk_prediction_question_id FOREIGN KEY(question_id) REFERENCES question (id),
    CONSTRAINT fk_prediction_model_id FOREIGN KEY(model_id) REFERENCES model (id)
);
CREATE TABLE verification (
    id SERIAL NOT NULL,
    question_id INTEGER NOT NULL,
    annotator_id INTEGER NOT NULL,
    slot_n INTEGER,  -- NULL: does not count (late, or its author was excluded)
    answer VARCHAR NOT NULL,
    normalised VARCHAR NOT NULL,
    confidence VARCHAR NOT NULL,
    late BOOLEAN NOT NULL,
    excluded BOOLEAN NOT NULL,
    leased_at BIGINT NOT NULL,
    at BIGINT NOT NULL,
    CONSTRAINT pk_verification PRIMARY KEY (id),
    CONSTRAINT ck_verification_confidence CHECK (confidence IN ('yes', 'maybe', 'no')),
    CONSTRAINT uq_verification_question_id_slot_n UNIQUE (question_id, slot_n),
    CONSTRAINT uq_verification_question_id_annotator_id UNIQUE (question_id, annotator_id),
    CONSTRAINT fk_verification_question_id_slot_n FOREIGN KEY(question_id, slot_n) REFERENCES slot (question_id, n),
    CONSTRAINT ck_verification_counted CHECK ((slot_n IS NULL) = (late OR excluded)),
    CONSTRAINT fk_verification_question_id FOREIGN KEY(question_id) REFERENCES question (id),
    CONSTRAINT fk_verification_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);
CREATE INDEX ix_verification_annotator_id_id ON verification (annotator_id, id);
CREATE TABLE api_token (
    id SERIAL NOT NULL,
    token_hash VARCHAR(64) NOT NULL,
    annotator_id INTEGER NOT NULL,
    name VARCHAR NOT NULL,  -- what its owner calls it
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    CONSTRAINT pk_api_token PRIMARY KEY (id),
    CONSTRAINT uq_api_token_token_hash UNIQUE (token_hash),
    CONSTRAINT fk_api_token_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);
CREATE INDEX ix_api_token_annotator_id ON api_token (annotator_id);

-- What must hold in every study, as queries for the ids of rows that break it. Those numbered 0 follow from others.
-- Names in braces stand for the conditions with these names, at the end.

-- I1: nobody verifies a question about an image they wrote for
SELECT v.question_id
FROM verification v
JOIN question q ON q.id = v.question_id
JOIN session s ON s.image_id = q.image_id AND s.annotator_id = v.annotator_id
UNION ALL
SELECT v.question_id
FROM slot v
JOIN question q ON q.id = v.question_id
JOIN session s ON s.image_id = q.image_id AND s.annotator_id = v.annotator_id;

-- I2: one person verifies a question at most once
SELECT question_id
FROM verification
GROUP BY question_id, annotator_id
HAVING COUNT(*) > 1;

-- I3: a question judged wrong has all its slots, and others have none
SELECT q.id
FROM question q
LEFT JOIN slot s ON s.question_id = q.id
GROUP BY q.id, q.state
HAVING COUNT(s.n) <> CASE WHEN q.id IN (SELECT question_id FROM judgement WHERE verdict = 'wrong') THEN (SELECT
    verifiers FROM study) ELSE 0 END;

-- I3: a slot is done when a verification counts for it, by the same person
SELECT s.question_id
FROM slot s
LEFT JOIN verification v ON v.question_id = s.question_id AND v.slot_n = s.n
WHERE (s.state = 'DONE') <> (v.id IS NOT NULL) OR (v.id IS NOT NULL AND v.annotator_id <> s.annotator_id);

-- I3: a question is verified exactly when all its slots are done
SELECT q.id
FROM question q
WHERE (q.state = 'VERIFIED') <> (q.done = (SELECT verifiers FROM study) AND q.state <> 'WITHDRAWN');

-- I4: an image has as many writer places as the study says
SELECT i.id
FROM image i
LEFT JOIN place p ON p.image_id = i.id
GROUP BY i.id
HAVING COUNT(p.n) <> (SELECT writers FROM study);

-- I4: a place is held by a session of its image that is active, or finished with work that was not withdrawn
SELECT p.image_id
FROM place p
JOIN session s ON s.id = p.session_id
WHERE s.image_id <> p.image_id OR NOT (s.state = 'LEASED' OR {counts});

-- I4: such a session holds a place, unless its writer was excluded
SELECT s.id
FROM session s
JOIN annotator a ON a.id = s.annotator_id
LEFT JOIN place p ON p.session_id = s.id
WHERE (s.state = 'LEASED' OR {counts}) AND p.n IS NULL AND a.excluded_at IS NULL AND a.attack IS NULL;

-- I27: an automatic attack writes, and does nothing that only people do
SELECT a.id
FROM annotator a
WHERE a.attack IS NOT NULL AND (a.password_hash IS NOT NULL OR a.role <> 'annotator' OR EXISTS (SELECT 1 FROM login l
    WHERE l.annotator_id = a.id) OR EXISTS (SELECT 1 FROM slot s WHERE s.annotator_id = a.id) OR EXISTS (SELECT 1
    FROM gold_result g WHERE g.annotator_id = a.id) OR EXISTS (SELECT 1 FROM batch b WHERE b.annotator_id = a.id)
  OR EXISTS (SELECT 1 FROM place p JOIN session s ON s.id = p.session_id WHERE s.annotator_id = a.id));

-- I5: the tries of a session are numbered from 1 without gaps, and are not too many
SELECT session_id
FROM question
WHERE try_no IS NOT NULL
GROUP BY session_id
HAVING MIN(try_no) <> 1 OR MAX(try_no) <> COUNT(*) OR MAX(try_no) > (SELECT max_tries FROM study);

-- I5: a question has a try number exactly when it has a prediction
SELECT q.id
FROM question q
LEFT JOIN prediction p ON p.question_id = q.id
WHERE (q.try_no IS NULL) <> (p.question_id IS NULL);

-- I6: a session that succeeded has an answer judged wrong, and one that used all tries has none
SELECT s.id
FROM session s
LEFT JOIN question q ON q.session_id = s.id
LEFT JOIN judgement j ON j.question_id = q.id AND j.verdict = 'wrong'
WHERE s.state IN ('SUCCEEDED', 'EXHAUSTED')
GROUP BY s.id, s.state
HAVING (s.state = 'SUCCEEDED') <> (COUNT(j.question_id) > 0);

-- I6: no question of a session that ended waits for a robot or a judgement
SELECT q.id
FROM question q
JOIN session s ON s.id = q.session_id
WHERE s.state <> 'LEASED' AND q.state IN ('ASKED', 'ANSWERED', 'MODEL_FAILED');

-- I7: a prediction is by the drawn model, and the draw is done
SELECT p.question_id
FROM prediction p
LEFT JOIN draw d ON d.question_id = p.question_id AND d.n = p.draw_n
WHERE d.model_id IS NULL OR d.model_id <> p.model_id OR d.outcome <> 'OK' OR d.outcome IS NULL;

-- I7: a question waiting for a robot has exactly one open draw, and others have none unless abandoned
SELECT q.id
FROM question q
LEFT JOIN draw d ON d.question_id = q.id AND d.outcome IS NULL
GROUP BY q.id, q.state
HAVING (q.state = 'ASKED' AND COUNT(d.n) <> 1) OR (q.state NOT IN ('ASKED', 'ABANDONED') AND COUNT(d.n) <> 0);

-- I8: a judgement is by the question's author, and matches the question's state
SELECT q.id
FROM question q
LEFT JOIN judgement j ON j.question_id = q.id
WHERE j.annotator_id <> q.annotator_id OR (j.verdict IS NULL AND q.state IN ('CORRECT', 'UNSURE', 'VERIFYING',
    'VERIFIED'))
  OR (q.state = 'CORRECT' AND j.verdict <> 'correct') OR (q.state = 'UNSURE' AND j.verdict <> 'unsure')
  OR (q.state IN ('VERIFYING', 'VERIFIED') AND j.verdict <> 'wrong');

-- I11: a leased slot has exactly one active lease, of the same person
SELECT s.question_id
FROM slot s
LEFT JOIN lease l ON l.question_id = s.question_id AND l.slot_n = s.n AND l.annotator_id = s.annotator_id
  AND l.ended_at IS NULL
GROUP BY s.question_id, s.n, s.state
HAVING COUNT(l.id) <> CASE WHEN s.state = 'LEASED' THEN 1 ELSE 0 END;

-- I12: dev and test hold only type E, and A and C are in train only
SELECT id
FROM question
WHERE split IS NOT NULL AND type <> 'E' AND NOT (split = 'train' AND type IN ('A', 'C'));

-- I12: a question's split is its image's
SELECT q.id
FROM question q
JOIN image i ON i.id = q.image_id
WHERE q.split IS NOT NULL AND (i.split IS NULL OR q.split <> i.split);

-- I12: questions have types, and images splits, exactly when their round is frozen
SELECT i.id
FROM image i
JOIN round r ON r.id = i.round_id
LEFT JOIN question q ON q.image_id = i.id
WHERE (i.split IS NOT NULL) <> ({frozen}) OR (q.id IS NOT NULL AND (q.type IS NOT NULL) <> ({frozen}));

-- I15: the number of verifications shown is the number of rows
SELECT q.id
FROM question q
LEFT JOIN verification v ON v.question_id = q.id AND v.slot_n IS NOT NULL
GROUP BY q.id, q.done
HAVING q.done <> COUNT(v.id);

-- I17: no answer of an excluded person counts, unless the round was frozen before
SELECT v.id
FROM verification v
JOIN annotator a ON a.id = v.annotator_id
JOIN question q ON q.id = v.question_id
JOIN image i ON i.id = q.image_id
JOIN round r ON r.id = i.round_id
WHERE v.slot_n IS NOT NULL AND a.excluded_at IS NOT NULL AND (r.frozen_at IS NULL OR a.excluded_at < r.frozen_at);

-- I18: nobody gets a gold question about an image they wrote for, or one they were given to verify
SELECT g.id
FROM gold_result r
JOIN gold_item g ON g.id = r.gold_id
JOIN image i ON i.sha256 = g.sha256
JOIN session s ON s.image_id = i.id AND s.annotator_id = r.annotator_id
UNION ALL
SELECT g.id
FROM gold_result r
JOIN gold_item g ON g.id = r.gold_id
JOIN lease l ON l.question_id = g.question_id AND l.annotator_id = r.annotator_id;

-- I19: times of a session never go backwards
SELECT q.id
FROM question q
JOIN session s ON s.id = q.session_id
LEFT JOIN prediction p ON p.question_id = q.id
LEFT JOIN judgement j ON j.question_id = q.id
WHERE q.asked_at < s.started_at OR p.at < q.asked_at OR j.at < p.at OR s.ended_at < j.at;

-- I19: nothing in a round is later than its freeze
SELECT i.id
FROM image i
JOIN round r ON r.id = i.round_id
WHERE r.frozen_at IS NOT NULL AND (EXISTS (SELECT 1 FROM session s WHERE s.image_id = i.id AND s.ended_at >
    r.frozen_at) OR EXISTS (SELECT 1 FROM question q LEFT JOIN judgement j ON j.question_id = q.id LEFT JOIN
    verification v ON v.question_id = q.id WHERE q.image_id = i.id AND (q.asked_at > r.frozen_at OR j.at >
    r.frozen_at OR v.at > r.frozen_at)));

-- I20: a platform identity has one account, and nobody verifies what the same identity wrote
SELECT MIN(id)
FROM annotator
WHERE identity IS NOT NULL
GROUP BY identity
HAVING COUNT(*) > 1
UNION ALL
SELECT v.question_id
FROM verification v
JOIN annotator a ON a.id = v.annotator_id
JOIN question q ON q.id = v.question_id
JOIN annotator w ON w.id = q.annotator_id
WHERE a.identity = w.identity;

-- I20: everybody who entered through a platform's link has an identity, also after a deletion
SELECT id
FROM annotator
WHERE invite_id IS NOT NULL AND identity IS NULL;

-- I23: simulated people and real ones never work in the same study, unless it is a demonstration
SELECT a.id
FROM annotator a
WHERE NOT a.simulated AND a.attack IS NULL AND EXISTS (SELECT 1 FROM annotator b WHERE b.simulated) AND (EXISTS (SELECT 1 FROM
    session s WHERE s.annotator_id = a.id) OR EXISTS (SELECT 1 FROM verification v WHERE v.annotator_id = a.id)
    OR EXISTS (SELECT 1 FROM batch b WHERE b.annotator_id = a.id))
  AND NOT EXISTS (SELECT 1 FROM study WHERE settings LIKE '%"demonstration": true%');

-- I24: an item of a survey has as many places taken as its counter says, and no more than the survey wants people
SELECT i.id
FROM survey_item i
JOIN survey s ON s.id = i.survey_id
LEFT JOIN batch_answer a ON a.item_id = i.id AND a.place IS NOT NULL
GROUP BY i.id, i.taken, s.people
HAVING COUNT(a.n) <> i.taken OR i.taken > s.people OR MAX(a.place) > s.people;

-- I24: a place is held with an active batch, or used by a finished one; gold has none
SELECT a.item_id
FROM batch_answer a
JOIN batch b ON b.id = a.batch_id
JOIN survey_item i ON i.id = a.item_id
WHERE a.place IS NOT NULL AND (b.state NOT IN ('LEASED', 'DONE') OR i.gold IS NOT NULL OR a.reported);

-- I24: one person answers a question of a survey once
SELECT a.item_id
FROM batch_answer a
WHERE a.place IS NOT NULL
GROUP BY a.item_id, a.annotator_id
HAVING COUNT(*) > 1;

-- I25: nobody gets two questions of a pair in one batch
SELECT a.batch_id
FROM batch_answer a
JOIN survey_item i ON i.id = a.item_id
GROUP BY a.batch_id, i.pair
HAVING COUNT(*) > 1;

-- I25: a batch is of one survey, with as much gold as the survey says
SELECT b.id
FROM batch b
JOIN survey s ON s.id = b.survey_id
JOIN batch_answer a ON a.batch_id = b.id
JOIN survey_item i ON i.id = a.item_id
GROUP BY b.id, b.survey_id, s.gold_size, s.batch_size
HAVING MIN(i.survey_id) <> b.survey_id OR MAX(i.survey_id) <> b.survey_id OR COUNT(i.gold) <> s.gold_size
  OR COUNT(*) > s.batch_size;

-- I26: a finished batch has an answer to every question, and its first answers too
SELECT b.id
FROM batch b
JOIN batch_answer a ON a.batch_id = b.id
WHERE b.state = 'DONE' AND NOT a.reported AND (a.last IS NULL OR a.first IS NULL);

-- I17: no answer of an excluded person counts in a survey, unless it was closed before
SELECT a.item_id
FROM batch_answer a
JOIN annotator p ON p.id = a.annotator_id
JOIN batch b ON b.id = a.batch_id
JOIN survey s ON s.id = b.survey_id
WHERE a.place IS NOT NULL AND p.excluded_at IS NOT NULL AND (s.closed_at IS NULL OR p.excluded_at < s.closed_at);

-- I19: nothing in a survey is later than its end, and no batch ends before it begins
SELECT b.id
FROM batch b
JOIN survey s ON s.id = b.survey_id
WHERE b.ended_at < b.leased_at OR b.ended_at > s.closed_at;

-- I0: a person holds at most one question at a time, gold ones included
SELECT annotator_id
FROM (SELECT annotator_id FROM slot WHERE state = 'LEASED' UNION ALL SELECT annotator_id FROM gold_result WHERE
    answer IS NULL AND skipped IS NULL) held
GROUP BY annotator_id
HAVING COUNT(*) > 1;

-- I0: nothing is active in a frozen round
SELECT i.id
FROM image i
JOIN round r ON r.id = i.round_id
WHERE {frozen} AND (EXISTS (SELECT 1 FROM session s WHERE s.image_id = i.id AND s.state = 'LEASED') OR EXISTS
    (SELECT 1 FROM slot s JOIN question q ON q.id = s.question_id WHERE q.image_id = i.id AND s.state =
    'LEASED'));

-- paid sessions: finished sessions that are due, by person
SELECT s.annotator_id, COUNT(DISTINCT s.image_id)
FROM session s
JOIN annotator a ON a.id = s.annotator_id
JOIN image i ON i.id = s.image_id
JOIN round r ON r.id = i.round_id
WHERE a.attack IS NULL AND a.excluded_at IS NULL AND {counts} AND (s.state = 'EXHAUSTED' OR {frozen}) AND NOT EXISTS (SELECT 1 FROM
    question q WHERE q.session_id = s.id AND q.standing = 'REMOVED')
GROUP BY s.annotator_id;

-- paid answers: verifiers' answers that are due, gold questions included
SELECT annotator_id, COUNT(*)
FROM (SELECT DISTINCT v.annotator_id, v.question_id, 0 AS gold FROM verification v JOIN question q ON q.id =
    v.question_id JOIN image i ON i.id = q.image_id JOIN round r ON r.id = i.round_id WHERE q.annotator_id <>
    v.annotator_id AND q.state <> 'WITHDRAWN' AND ({frozen} OR (q.state <> 'VERIFYING' AND q.standing <>
    'QUARANTINED')) UNION ALL SELECT DISTINCT annotator_id, gold_id, 1 FROM gold_result WHERE answer IS NOT
    NULL) done
JOIN annotator a ON a.id = done.annotator_id
WHERE a.excluded_at IS NULL
GROUP BY annotator_id;

-- paid bonuses: questions of type E that are due a bonus
SELECT q.annotator_id, COUNT(*)
FROM question q
JOIN annotator a ON a.id = q.annotator_id
WHERE a.attack IS NULL AND a.excluded_at IS NULL AND q.type = 'E' AND q.state = 'VERIFIED' AND q.standing = 'OK'
  AND q.text <> ''
GROUP BY q.annotator_id;

-- paid batches: batches of surveys that are due, by person
SELECT a.id, COUNT(DISTINCT b.id)
FROM annotator a
JOIN batch b ON b.annotator_id = a.id
WHERE a.excluded_at IS NULL AND b.state = 'DONE'
GROUP BY a.id;

-- hidden: questions that nobody may read in a release
SELECT q.id
FROM question q
JOIN image i ON i.id = q.image_id
JOIN round r ON r.id = i.round_id
JOIN annotator a ON a.id = q.annotator_id
WHERE q.state = 'WITHDRAWN' OR q.standing IN ('QUARANTINED', 'REMOVED') OR q.text = ''
  OR i.hidden_at IS NOT NULL OR a.excluded_at <= r.frozen_at;

-- dropped: answers that nobody may read in a release, with the question and who gave them
SELECT v.question_id, a.pseudonym
FROM verification v
JOIN annotator a ON a.id = v.annotator_id
JOIN question q ON q.id = v.question_id
JOIN image i ON i.id = q.image_id
JOIN round r ON r.id = i.round_id
WHERE v.excluded OR a.excluded_at < r.frozen_at;

-- frozen: round r no longer changes
r.state IN ('FROZEN', 'RELEASED');

-- counts: the finished session s counts, since what it stands on was not withdrawn
((s.state = 'SUCCEEDED' AND EXISTS (
    SELECT 1
    FROM question q
    JOIN judgement j ON j.question_id = q.id
    WHERE q.session_id = s.id AND j.verdict = 'wrong' AND q.state <> 'WITHDRAWN'
)) OR (s.state = 'EXHAUSTED' AND NOT EXISTS (
    SELECT 1 FROM question q WHERE q.session_id = s.id AND q.state = 'WITHDRAWN'
)));

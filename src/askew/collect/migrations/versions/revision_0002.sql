-- The automatic attack whose questions an author has; such an author is no person.
ALTER TABLE annotator ADD COLUMN attack VARCHAR;
CREATE TABLE survey (
    id SERIAL NOT NULL,
    kind VARCHAR NOT NULL,  -- what it asks
    name VARCHAR NOT NULL,  -- of which data
    state VARCHAR NOT NULL,
    people INTEGER NOT NULL,  -- per question
    batch_size INTEGER NOT NULL,  -- questions per batch, gold among them
    gold_size INTEGER NOT NULL,
    seed BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    closed_at BIGINT,
    CONSTRAINT pk_survey PRIMARY KEY (id),
    CONSTRAINT ck_survey_kind CHECK (kind IN ('baseline', 'audit')),
    CONSTRAINT ck_survey_state CHECK (state IN ('OPEN', 'CLOSED')),
    CONSTRAINT ck_survey_closed CHECK ((closed_at IS NOT NULL) = (state = 'CLOSED')),
    CONSTRAINT ck_survey_sizes CHECK (people >= 1 AND gold_size >= 0 AND batch_size > gold_size)
);
CREATE TABLE survey_group (
    survey_id INTEGER NOT NULL,
    n INTEGER NOT NULL,
    record TEXT NOT NULL,
    CONSTRAINT pk_survey_group PRIMARY KEY (survey_id, n),
    CONSTRAINT fk_survey_group_survey_id FOREIGN KEY(survey_id) REFERENCES survey (id)
);
CREATE TABLE survey_item (
    id SERIAL NOT NULL,
    survey_id INTEGER NOT NULL,
    position INTEGER NOT NULL,  -- in the random order in which they are given
    pair INTEGER NOT NULL,  -- items with the same number are never in one batch
    sha256 VARCHAR(64) NOT NULL,
    suffix VARCHAR(8) NOT NULL,
    content TEXT NOT NULL,  -- what is shown and asked, as JSON
    gold TEXT,  -- field to the answers that pass, as JSON; NULL for a question of the survey
    members TEXT NOT NULL DEFAULT '[]',  -- the questions that it stands for: pairs of group and place in it, as JSON
    taken INTEGER NOT NULL DEFAULT 0,  -- places that are held or used
    hidden_at BIGINT,
    CONSTRAINT pk_survey_item PRIMARY KEY (id),
    CONSTRAINT uq_survey_item_survey_id_position UNIQUE (survey_id, position),
    CONSTRAINT ck_survey_item_gold CHECK (gold IS NULL OR taken = 0),
    CONSTRAINT fk_survey_item_survey_id FOREIGN KEY(survey_id) REFERENCES survey (id)
);
CREATE INDEX ix_survey_item_sha256 ON survey_item (sha256);
CREATE TABLE batch (
    id SERIAL NOT NULL,
    survey_id INTEGER NOT NULL,
    annotator_id INTEGER NOT NULL,
    state VARCHAR NOT NULL,
    extensions INTEGER NOT NULL DEFAULT 0,
    sent INTEGER NOT NULL DEFAULT 0,  -- how often it was sent, until the gold was right
    reason VARCHAR NOT NULL DEFAULT '',
    leased_at BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    ended_at BIGINT,
    CONSTRAINT pk_batch PRIMARY KEY (id),
    CONSTRAINT uq_batch_id_annotator_id UNIQUE (id, annotator_id),
    CONSTRAINT ck_batch_state CHECK (state IN ('LEASED', 'DONE', 'RETURNED', 'EXPIRED')),
    CONSTRAINT ck_batch_ended CHECK ((ended_at IS NULL) = (state = 'LEASED')),
    CONSTRAINT fk_batch_survey_id FOREIGN KEY(survey_id) REFERENCES survey (id),
    CONSTRAINT fk_batch_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);
CREATE INDEX ix_batch_annotator_id ON batch (annotator_id);
CREATE INDEX ix_batch_survey_id_state ON batch (survey_id, state);
CREATE UNIQUE INDEX uq_batch_leased ON batch (annotator_id) WHERE state = 'LEASED';
CREATE TABLE batch_answer (
    batch_id INTEGER NOT NULL,
    n INTEGER NOT NULL CONSTRAINT ck_batch_answer_n CHECK (n >= 1),
    item_id INTEGER NOT NULL,
    annotator_id INTEGER NOT NULL,
    place INTEGER CONSTRAINT ck_batch_answer_place CHECK (place >= 1),  -- of the item; NULL for gold, and for what does not count
    first TEXT,  -- as JSON, when the batch was first sent
    last TEXT,  -- as JSON
    reported BOOLEAN NOT NULL DEFAULT FALSE,
    CONSTRAINT pk_batch_answer PRIMARY KEY (batch_id, n),
    CONSTRAINT uq_batch_answer_batch_id_item_id UNIQUE (batch_id, item_id),
    CONSTRAINT uq_batch_answer_item_id_place UNIQUE (item_id, place),
    CONSTRAINT fk_batch_answer_batch_id_annotator_id FOREIGN KEY(batch_id, annotator_id) REFERENCES batch (id, annotator_id),
    CONSTRAINT fk_batch_answer_batch_id FOREIGN KEY(batch_id) REFERENCES batch (id),
    CONSTRAINT fk_batch_answer_item_id FOREIGN KEY(item_id) REFERENCES survey_item (id),
    CONSTRAINT fk_batch_answer_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);
CREATE INDEX ix_batch_answer_annotator_id ON batch_answer (annotator_id, item_id);
CREATE UNIQUE INDEX uq_batch_answer_person ON batch_answer (item_id, annotator_id) WHERE place IS NOT NULL;

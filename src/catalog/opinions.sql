-- What askers think of answers.
CREATE TABLE feedback (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL REFERENCES owner (id),
    -- Where it was asked: of a dataset, or in a session.
    dataset TEXT REFERENCES kb (id) ON DELETE CASCADE,
    session TEXT REFERENCES session (id) ON DELETE CASCADE,
    message TEXT,
    thumbup INTEGER NOT NULL,
    text TEXT NOT NULL,
    question TEXT NOT NULL,
    answer TEXT NOT NULL,
    sql TEXT NOT NULL,
    created INTEGER NOT NULL,
    UNIQUE (session, message)
) STRICT;
CREATE INDEX feedback_owner ON feedback (owner, created);
CREATE INDEX feedback_dataset ON feedback (dataset);

-- Work done for an owner on a day (UTC, 2025-03-11).
CREATE TABLE usage (
    owner TEXT NOT NULL REFERENCES owner (id),
    day TEXT NOT NULL,
    questions INTEGER NOT NULL,
    statements INTEGER NOT NULL,
    model_calls INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    PRIMARY KEY (owner, day)
) STRICT, WITHOUT ROWID;

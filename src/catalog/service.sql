-- What the service keeps beside the rows: owners and their keys, states of documents, chats. Times are milliseconds since 1970.
CREATE TABLE owner (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE kb_2 (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL REFERENCES owner (id),
    name TEXT NOT NULL,
    -- What its owner set, JSON.
    details TEXT NOT NULL DEFAULT '{}',
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    UNIQUE (owner, name)
) STRICT;
INSERT INTO kb_2 (id, owner, name, created, updated)
    SELECT id, (SELECT id FROM local_owner), name, unixepoch(created) * 1000, unixepoch(created) * 1000 FROM kb ORDER BY rowid;
DROP TABLE kb;
ALTER TABLE kb_2 RENAME TO kb;

-- A document answers while it is enabled, not gone, and its run is DONE, or RUNNING once more over its load of before.
ALTER TABLE document ADD COLUMN run TEXT NOT NULL DEFAULT 'DONE';
ALTER TABLE document ADD COLUMN progress REAL NOT NULL DEFAULT 1;
ALTER TABLE document ADD COLUMN message TEXT NOT NULL DEFAULT '';
ALTER TABLE document ADD COLUMN began INTEGER;
ALTER TABLE document ADD COLUMN took INTEGER NOT NULL DEFAULT 0;
-- Counts the parses asked for: only the last one may become live.
ALTER TABLE document ADD COLUMN ticket INTEGER NOT NULL DEFAULT 0;
ALTER TABLE document ADD COLUMN enabled INTEGER NOT NULL DEFAULT 1;
-- Deleted; its rows are removed under the writer's lock.
ALTER TABLE document ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
-- The document of the same bytes whose rows stand for it.
ALTER TABLE document ADD COLUMN same_as TEXT;
ALTER TABLE document ADD COLUMN details TEXT NOT NULL DEFAULT '{}';
ALTER TABLE document ADD COLUMN made INTEGER NOT NULL DEFAULT 0;
ALTER TABLE document ADD COLUMN updated INTEGER NOT NULL DEFAULT 0;
UPDATE document SET made = unixepoch(created) * 1000, updated = unixepoch(created) * 1000;
CREATE INDEX document_kb ON document (kb, made);
CREATE INDEX document_run ON document (run) WHERE run = 'RUNNING';

CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL REFERENCES owner (id),
    name TEXT NOT NULL UNIQUE,
    -- SHA-256 of the key, hex.
    hash TEXT NOT NULL UNIQUE,
    may_write INTEGER NOT NULL,
    expires INTEGER,
    created INTEGER NOT NULL,
    used INTEGER
) STRICT;

CREATE TABLE chat (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL REFERENCES owner (id),
    name TEXT NOT NULL,
    -- Datasets and settings, JSON.
    details TEXT NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    UNIQUE (owner, name)
) STRICT;

CREATE TABLE session (
    id TEXT PRIMARY KEY,
    chat TEXT NOT NULL REFERENCES chat (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    user_id TEXT NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL
) STRICT;
CREATE INDEX session_chat ON session (chat, created);

-- Turns of a session in order, JSON.
CREATE TABLE message (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX message_session ON message (session, no);

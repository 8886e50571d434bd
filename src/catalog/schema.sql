CREATE TABLE kb (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;

-- A table of a knowledge base: rows of one shape. `fields` is JSON.
CREATE TABLE shape (
    id TEXT PRIMARY KEY,
    kb TEXT NOT NULL REFERENCES kb (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    label TEXT NOT NULL,
    key TEXT NOT NULL,
    fields TEXT NOT NULL,
    UNIQUE (kb, name)
) STRICT;

CREATE TABLE document (
    id TEXT PRIMARY KEY,
    kb TEXT NOT NULL REFERENCES kb (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    upload TEXT NOT NULL,
    options TEXT NOT NULL,
    created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (kb, name)
) STRICT;

-- One reading of a document. Its number is in its rows and is never used again.
CREATE TABLE load (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    document TEXT REFERENCES document (id) ON DELETE CASCADE,
    live INTEGER NOT NULL DEFAULT 0,
    report TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX load_document ON load (document);

-- What a load gave to a table. `profiles` and `sheets` are JSON.
CREATE TABLE part (
    load INTEGER NOT NULL REFERENCES load (no) ON DELETE CASCADE,
    shape TEXT NOT NULL REFERENCES shape (id) ON DELETE CASCADE,
    rows INTEGER NOT NULL,
    profiles TEXT NOT NULL,
    sheets TEXT NOT NULL,
    PRIMARY KEY (load, shape)
) STRICT;
CREATE INDEX part_shape ON part (shape);

CREATE TABLE segment (
    no INTEGER PRIMARY KEY,
    shape TEXT NOT NULL REFERENCES shape (id) ON DELETE CASCADE,
    rows INTEGER NOT NULL
) STRICT;

-- Which loads have rows in a segment; a load that was deleted leaves its number here until the segment is merged.
CREATE TABLE content (
    segment INTEGER NOT NULL REFERENCES segment (no) ON DELETE CASCADE,
    load INTEGER NOT NULL,
    PRIMARY KEY (segment, load)
) STRICT, WITHOUT ROWID;

CREATE TABLE counter (name TEXT PRIMARY KEY, next INTEGER NOT NULL) STRICT;
INSERT INTO counter VALUES ('segment', 1);

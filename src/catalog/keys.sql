-- A key may be for some datasets of its owner only, and its name is its owner's.
CREATE TABLE api_key_2 (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL REFERENCES owner (id),
    name TEXT NOT NULL,
    -- SHA-256 of the key, hex.
    hash TEXT NOT NULL UNIQUE,
    may_write INTEGER NOT NULL,
    -- Ids of the datasets that it is for, JSON; all of its owner's where there is none.
    datasets TEXT,
    expires INTEGER,
    created INTEGER NOT NULL,
    used INTEGER,
    UNIQUE (owner, name)
) STRICT;
INSERT INTO api_key_2 (id, owner, name, hash, may_write, expires, created, used)
    SELECT id, owner, name, hash, may_write, expires, created, used FROM api_key ORDER BY rowid;
DROP TABLE api_key;
ALTER TABLE api_key_2 RENAME TO api_key;

-- A chat's sessions hold answers from datasets that it no longer has: `seen_ids` keeps all it ever had.
UPDATE chat SET details = json_set(details, '$.seen_ids', json(json_extract(details, '$.dataset_ids')))
    WHERE json_type(details, '$.dataset_ids') = 'array';

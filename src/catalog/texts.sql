-- Texts added to documents by hand: search finds them, they are rows of no table.
CREATE TABLE free_text (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    -- 16 hex digits.
    id TEXT NOT NULL,
    document TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    content TEXT NOT NULL,
    -- JSON lists.
    keywords TEXT NOT NULL,
    questions TEXT NOT NULL,
    positions TEXT NOT NULL DEFAULT '[]',
    available INTEGER NOT NULL DEFAULT 1,
    -- How often this content was added.
    times INTEGER NOT NULL DEFAULT 1,
    -- Its words, repeats included.
    length INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL,
    UNIQUE (document, id)
) STRICT;
CREATE INDEX free_text_id ON free_text (id);

-- The words of content, keywords and questions.
CREATE TABLE free_word (
    word TEXT NOT NULL,
    text INTEGER NOT NULL REFERENCES free_text (no) ON DELETE CASCADE,
    count INTEGER NOT NULL,
    PRIMARY KEY (word, text)
) STRICT, WITHOUT ROWID;
CREATE INDEX free_word_text ON free_word (text);

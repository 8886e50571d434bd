-- Counts the changes of what questions see, so that what was read of it can be told from what is there now.
INSERT INTO counter VALUES ('seen', 1);

CREATE TRIGGER seen_document_changed AFTER UPDATE OF kb, name, enabled, gone, run ON document BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_document_deleted AFTER DELETE ON document BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_load_made AFTER INSERT ON load BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_load_changed AFTER UPDATE OF document, live ON load BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_load_deleted AFTER DELETE ON load BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_part_made AFTER INSERT ON part BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_part_changed AFTER UPDATE ON part BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_part_deleted AFTER DELETE ON part BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_shape_made AFTER INSERT ON shape BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_shape_changed AFTER UPDATE ON shape BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_shape_deleted AFTER DELETE ON shape BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_segment_made AFTER INSERT ON segment BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_segment_changed AFTER UPDATE ON segment BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_segment_deleted AFTER DELETE ON segment BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_content_made AFTER INSERT ON content BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_content_changed AFTER UPDATE ON content BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;
CREATE TRIGGER seen_content_deleted AFTER DELETE ON content BEGIN
    UPDATE counter SET next = next + 1 WHERE name = 'seen';
END;

-- What lists and counts of thousands of documents read: without these they go through reports and profiles.
CREATE INDEX document_seen ON document (kb, gone, run, enabled, id);
CREATE INDEX load_live ON load (document, live, no);
CREATE INDEX part_rows ON part (load, shape, rows);

-- Deleted documents, and those that rest on another: few of many.
CREATE INDEX document_gone ON document (gone) WHERE gone = 1;
CREATE INDEX document_same_as ON document (same_as) WHERE same_as IS NOT NULL;

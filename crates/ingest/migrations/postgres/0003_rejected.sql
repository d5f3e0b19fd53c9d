-- 1 while the source lists a fact in a form that could not be read: what confirms the bytes of the source does not confirm this fact.
ALTER TABLE standings ADD COLUMN rejected BIGINT NOT NULL DEFAULT 0;
UPDATE standings SET rejected = 1 WHERE held_back = 'parse_failed' AND EXISTS
    (SELECT 1 FROM rejects r JOIN facts f ON f.source_id = r.source_id AND f.key = r.key WHERE f.id = standings.fact_id);

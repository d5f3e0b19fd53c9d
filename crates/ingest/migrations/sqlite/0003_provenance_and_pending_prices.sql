-- What evidence says beyond source, address, hash and times; prices that wait to be stated again; whether a source listed a fact twice.
-- A price that an earlier version held back stands in `fields` with its last value: the sources are read once more, so that it goes.
ALTER TABLE facts ADD COLUMN provenance TEXT NOT NULL DEFAULT '{}'; -- JSON
ALTER TABLE facts ADD COLUMN pending TEXT NOT NULL DEFAULT '[]';    -- JSON: [{path, before, since, verdict?}, …]
DROP INDEX facts_quarantined;
ALTER TABLE facts DROP COLUMN quarantined;
ALTER TABLE standings ADD COLUMN restated BIGINT NOT NULL DEFAULT 1;

-- Facts that a quarantined pass did not list, and since when they are gone: a removal that the source repeats is believed.
CREATE TABLE missing_facts (
    source_id TEXT   NOT NULL,
    kind      TEXT   NOT NULL,
    key       TEXT   NOT NULL,
    since     BIGINT NOT NULL,
    PRIMARY KEY (source_id, kind, key)
);

-- What several processes over one store share: who writes, what readers poll, which generation is current, what operators asked for.

CREATE TABLE head (
    one             BIGINT PRIMARY KEY NOT NULL CHECK (one = 1),
    revision        BIGINT NOT NULL, -- moved last by each transaction that changes facts, standings or states
    keys_revision   BIGINT NOT NULL, -- moved by each new and each revoked key
    generation      BIGINT NOT NULL, -- id of the newest generation
    min_version     TEXT   NOT NULL, -- the oldest refdesk that may use this schema; empty: any
    segment_format  BIGINT NOT NULL, -- what leaders write
    catalog_version TEXT   NOT NULL  -- of the bundled cards that were written last
);
INSERT INTO head (one, revision, keys_revision, generation, min_version, segment_format, catalog_version)
VALUES (1, 0, 0, 0, '', 0, '');

CREATE TABLE leases (
    name       TEXT   PRIMARY KEY NOT NULL,
    epoch      BIGINT NOT NULL, -- counts up with each holder
    holder     TEXT   NOT NULL, -- random for each process; empty: given up
    expires_at BIGINT NOT NULL, -- milliseconds since the Unix epoch, by the clock of the database
    UNIQUE (name, epoch)
);

-- Syncs that are under way; those of an epoch that is over are nobody's.
CREATE TABLE flights (
    source_id  TEXT   PRIMARY KEY NOT NULL,
    lease      TEXT   NOT NULL,
    epoch      BIGINT NOT NULL,
    started_at BIGINT NOT NULL
);

CREATE TABLE generations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    revision   TEXT   NOT NULL,
    epoch      BIGINT NOT NULL, -- 0: written without a lease
    manifest   TEXT   NOT NULL, -- JSON
    created_at BIGINT NOT NULL
);

CREATE TABLE sync_requests (
    id           INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    source_ids   TEXT   NOT NULL, -- JSON; an empty list: all
    force        BIGINT NOT NULL,
    requested_at BIGINT NOT NULL,
    done_at      BIGINT,
    outcome      TEXT
);

-- Segment files in pieces, for who keeps them in the database.
CREATE TABLE segment_chunks (
    name     TEXT   NOT NULL,
    position BIGINT NOT NULL,
    content  BLOB   NOT NULL,
    PRIMARY KEY (name, position)
);

-- The catalog: facts with their evidence, and everything a sync leaves behind. Times are seconds since the Unix epoch, UTC.
-- Facts are cut in two on purpose: `facts` is wide and written when a statement changes, `standings` is narrow and written by every sync.

CREATE TABLE facts (
    id             INTEGER PRIMARY KEY NOT NULL,
    source_id      TEXT    NOT NULL,
    kind           TEXT    NOT NULL,
    key            TEXT    NOT NULL,
    head           TEXT    NOT NULL, -- JSON
    fields         TEXT    NOT NULL, -- JSON
    identity       TEXT    NOT NULL, -- JSON
    quarantined    TEXT    NOT NULL, -- JSON: [[path, reason], …]
    source_url     TEXT    NOT NULL,
    content_hash   TEXT    NOT NULL,
    hash_basis     TEXT    NOT NULL, -- bytes | record
    body_state     TEXT    NOT NULL, -- none | record | markdown | missing
    body_missing   TEXT,
    statement_hash TEXT    NOT NULL, -- over all of the above: what tells a change
    UNIQUE (source_id, kind, key)
);

CREATE TABLE standings (
    fact_id          INTEGER PRIMARY KEY NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    source_id        TEXT    NOT NULL,
    first_seen_at    BIGINT  NOT NULL,
    last_synced_at   BIGINT  NOT NULL,
    last_verified_at BIGINT,
    removed_at       BIGINT,
    held_back        TEXT,            -- parse_failed | quarantined
    checked_on       BIGINT           -- hand-written cards: stands for the times of the sync
);
CREATE INDEX standings_by_source ON standings (source_id);

-- Contents, packed (see store/pack.rs); verbatim once unpacked.
CREATE TABLE records (
    fact_id INTEGER PRIMARY KEY NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    content BLOB    NOT NULL
);
CREATE TABLE bodies (
    fact_id INTEGER PRIMARY KEY NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    content BLOB    NOT NULL
);
CREATE TABLE texts (
    fact_id INTEGER PRIMARY KEY NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
    content BLOB    NOT NULL
);

CREATE TABLE rejects (
    source_id TEXT   NOT NULL,
    position  BIGINT NOT NULL,
    key       TEXT   NOT NULL,
    reason    TEXT   NOT NULL,
    excerpt   TEXT   NOT NULL,
    PRIMARY KEY (source_id, position)
);

CREATE TABLE source_states (
    source_id            TEXT   PRIMARY KEY NOT NULL,
    state                TEXT   NOT NULL, -- JSON of SourceState
    validators           TEXT   NOT NULL, -- JSON: the requests of the last good pass
    info                 TEXT,            -- JSON of SourceInfo, for sources that came by import
    imported             BIGINT NOT NULL  -- 1: came by import and was not synced here since
);

CREATE TABLE runs (
    id          INTEGER PRIMARY KEY NOT NULL,
    source_id   TEXT    NOT NULL,
    started_at  BIGINT  NOT NULL,
    run         TEXT    NOT NULL          -- JSON of Run
);
CREATE INDEX runs_by_source ON runs (source_id, id);

CREATE TABLE api_keys (
    id               TEXT   PRIMARY KEY NOT NULL,
    fingerprint      BLOB   NOT NULL UNIQUE, -- SHA-256 of the key; the key itself is nowhere
    prefix           TEXT   NOT NULL,
    name             TEXT   NOT NULL,
    created_at       BIGINT NOT NULL,
    expires_at       BIGINT,
    revoked_at       BIGINT,
    last_used_at     BIGINT,
    limit_per_minute BIGINT
);

CREATE TABLE meta (
    name  TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
);

CREATE TABLE embeddings (
    model        TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    vector       BLOB NOT NULL,
    PRIMARY KEY (model, content_hash)
);

//! The tables, and what makes a file one of ours.
//!
//! The schema is for two kinds of readers. People and pages read `function`, `effect`, `call`, `finding`, `mark` and
//! `run` with plain SQL (`docs/store.md` explains every column). The analysis reads `known` and `run.result`: bytes
//! that only the version that wrote them understands, each with a checksum, because SQLite itself would not notice a
//! flipped bit.

/// Stands in the header of the file (`PRAGMA application_id`): "WTGT".
pub(crate) const APPLICATION: i32 = 0x5754_4754;

/// The version of the schema (`PRAGMA user_version`). A file with another one is set aside.
pub const VERSION: i32 = 3;

/// Everything that a new file gets.
pub(crate) const TABLES: &str = "
CREATE TABLE run (
    id        INTEGER PRIMARY KEY,
    at        TEXT NOT NULL,
    version   TEXT NOT NULL,
    seconds   REAL NOT NULL,
    files     INTEGER NOT NULL,
    functions INTEGER NOT NULL,
    evaluated INTEGER NOT NULL,
    reused    INTEGER NOT NULL,
    findings  INTEGER NOT NULL,
    problems  INTEGER NOT NULL,
    high      INTEGER NOT NULL,
    medium    INTEGER NOT NULL,
    low       INTEGER NOT NULL,
    appeared  INTEGER NOT NULL DEFAULT 0,
    gone      INTEGER NOT NULL DEFAULT 0,
    key       BLOB NOT NULL,
    result    BLOB
);
CREATE INDEX run_by_key ON run (key);

CREATE TABLE function (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    file       TEXT NOT NULL,
    line       INTEGER NOT NULL,
    static     INTEGER NOT NULL,
    evaluated  INTEGER NOT NULL,
    complete   INTEGER NOT NULL,
    given_up   TEXT,
    does       TEXT NOT NULL,
    behaviours TEXT NOT NULL,
    model      TEXT NOT NULL,
    digest     BLOB NOT NULL
);
CREATE INDEX function_by_name ON function (name);

CREATE TABLE effect (
    function INTEGER NOT NULL,
    effect   TEXT NOT NULL,
    kind     TEXT,
    place    TEXT NOT NULL
);
CREATE INDEX effect_by_function ON effect (function);

CREATE TABLE call (
    caller INTEGER NOT NULL,
    callee TEXT NOT NULL,
    file   TEXT
);
CREATE INDEX call_by_caller ON call (caller);
CREATE INDEX call_by_callee ON call (callee);

CREATE TABLE finding (
    fingerprint TEXT NOT NULL,
    ordinal     INTEGER NOT NULL,
    rule        TEXT NOT NULL,
    level       TEXT NOT NULL,
    confidence  TEXT NOT NULL,
    resource    TEXT NOT NULL,
    file        TEXT NOT NULL,
    line        INTEGER NOT NULL,
    col         INTEGER NOT NULL,
    function    TEXT NOT NULL,
    message     TEXT NOT NULL,
    run         INTEGER NOT NULL,
    first_run   INTEGER NOT NULL,
    PRIMARY KEY (fingerprint, ordinal)
);

CREATE TABLE past (
    run         INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    rule        TEXT NOT NULL,
    confidence  TEXT NOT NULL,
    file        TEXT NOT NULL,
    line        INTEGER NOT NULL,
    col         INTEGER NOT NULL,
    function    TEXT NOT NULL,
    message     TEXT NOT NULL
);
CREATE INDEX past_by_run ON past (run);

CREATE TABLE mark (
    fingerprint TEXT PRIMARY KEY,
    verdict     TEXT NOT NULL CHECK (verdict IN ('true', 'false', 'wont-fix')),
    note        TEXT NOT NULL,
    at          TEXT NOT NULL
);

CREATE TABLE known (
    key   BLOB PRIMARY KEY,
    run   INTEGER NOT NULL,
    value BLOB NOT NULL
) WITHOUT ROWID;

CREATE VIEW allocates AS
    SELECT f.name, f.file, f.line, e.kind, e.place FROM effect e JOIN function f ON f.id = e.function
    WHERE e.effect = 'acquires';
CREATE VIEW releases AS
    SELECT f.name, f.file, f.line, e.kind, e.place FROM effect e JOIN function f ON f.id = e.function
    WHERE e.effect = 'releases';
CREATE VIEW open_finding AS
    SELECT finding.*, mark.verdict, mark.note FROM finding LEFT JOIN mark USING (fingerprint)
    WHERE verdict IS NULL OR verdict = 'true';
";

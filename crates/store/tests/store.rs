//! What is put into a store comes out again, or nothing does.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use watertight_store::{
    CallRow, Change, EffectRow, FILE, FindingRow, FunctionRow, Key, Mark, RunRow, Store, Verdict,
};

fn mark(fingerprint: &str) -> Mark {
    Mark {
        fingerprint: fingerprint.to_owned(),
        verdict: Verdict::WontFix,
        note: "once per process".to_owned(),
        at: "2026-11-16T06:30:00Z".to_owned(),
    }
}

fn function(name: &str) -> FunctionRow {
    FunctionRow {
        name: name.to_owned(),
        file: "a.c".to_owned(),
        line: 3,
        evaluated: true,
        complete: true,
        does: "returns fresh memory".to_owned(),
        effects: vec![EffectRow {
            effect: "acquires".to_owned(),
            kind: Some("heap".to_owned()),
            place: "result".to_owned(),
        }],
        calls: vec![CallRow { callee: "malloc".to_owned(), file: None }],
        ..FunctionRow::default()
    }
}

fn finding(fingerprint: &str) -> FindingRow {
    FindingRow {
        fingerprint: fingerprint.to_owned(),
        ordinal: 0,
        rule: "memory-leak".to_owned(),
        level: "warning".to_owned(),
        confidence: "high".to_owned(),
        resource: "heap".to_owned(),
        file: "a.c".to_owned(),
        line: 3,
        column: 5,
        function: "f".to_owned(),
        message: "lost".to_owned(),
    }
}

fn fill(folder: &Path) {
    let (store, notices) = Store::open(folder).unwrap();
    assert_eq!(notices, Vec::<String>::new());
    store.begin();
    for number in 0..200u32 {
        store.learn(Key::of(&[&number.to_le_bytes()]), number.to_le_bytes().repeat(50));
    }
    let row = RunRow { version: "1".to_owned(), files: 1, functions: 2, ..RunRow::default() };
    let names = ["f", "g"];
    store
        .finish(
            &Key::of(&[b"run"]),
            &row,
            b"everything",
            &[finding("aa"), finding("bb")],
            &[[1; 16], [2; 16]],
            &|some| some.iter().map(|&index| function(names[index])).collect(),
        )
        .unwrap();
    store.set_mark(&mark("aa")).unwrap();
}

#[test]
fn what_was_put_in_comes_out() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let (store, notices) = Store::open(folder.path()).unwrap();
    assert_eq!(notices, Vec::<String>::new());
    for number in 0..200u32 {
        assert_eq!(store.known(&Key::of(&[&number.to_le_bytes()])), Some(number.to_le_bytes().repeat(50)));
    }
    assert_eq!(store.known(&Key::of(&[b"other"])), None);
    assert_eq!((store.counts().hits, store.counts().misses), (200, 1));
    assert_eq!(store.recorded(&Key::of(&[b"run"])).unwrap(), b"everything");
    assert_eq!(store.recorded(&Key::of(&[b"another run"])), None);
    assert_eq!(store.findings(), [finding("aa"), finding("bb")]);
    assert_eq!(store.functions_named("f")[0].row, function("f"));
    assert_eq!(store.callers("malloc", None).len(), 2);
    assert_eq!(store.marks(), [mark("aa")]);
    assert_eq!(store.runs(5).len(), 1);
    store.remove_mark("aa").unwrap();
    assert_eq!(store.mark("aa"), None);
    assert_eq!(store.trouble(), None);
}

#[test]
fn a_run_says_how_many_findings_it_has_and_how_they_differ_from_those_before() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let (store, _) = Store::open(folder.path()).unwrap();
    store.begin();
    let later = [finding("bb"), finding("cc"), finding("dd")];
    let row = RunRow::default();
    store.finish(&Key::of(&[b"later"]), &row, b"", &later, &[], &|_| Vec::new()).unwrap();
    let runs = store.runs(5);
    assert_eq!(runs[0].change, Change { appeared: 2, gone: 1 });
    assert_eq!(runs[1].change, Change { appeared: 2, gone: 0 });
    let counts = |run: usize| runs[run].confidences.iter().sum::<u64>();
    assert_eq!((counts(0), counts(1)), (3, 2));
}

#[test]
fn only_functions_that_changed_are_described_again() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let (store, _) = Store::open(folder.path()).unwrap();
    store.begin();
    store
        .finish(
            &Key::of(&[b"second"]),
            &RunRow::default(),
            b"",
            &[finding("bb"), finding("cc")],
            &[[2; 16], [3; 16]],
            &|some| {
                assert_eq!(some, [1], "the first is there already");
                vec![function("h")]
            },
        )
        .unwrap();
    let names: Vec<String> = store.functions("", 0, 10).into_iter().map(|f| f.row.name).collect();
    assert_eq!(names, ["g", "h"]);
    assert_eq!(store.callers("malloc", None).len(), 2);
    assert_eq!(
        (store.first_seen("bb"), store.first_seen("cc"), store.first_seen("aa")),
        (Some(1), Some(2), None)
    );
    assert_eq!(store.recorded(&Key::of(&[b"run"])), None, "only the newest run answers");
    assert_eq!(store.recorded(&Key::of(&[b"second"])).unwrap(), b"");
}

/// A file that cannot be used is set aside with a notice, its marks are kept where they can be read, and a new store
/// takes its place.
#[test]
fn files_that_cannot_be_used_are_set_aside() {
    type Spoil = fn(&Path);
    let ways: [(&str, Spoil, usize); 5] = [
        ("not a database", |path| fs::write(path, "a text, and rather a long one").unwrap(), 0),
        (
            "an older version",
            |path| {
                Connection::open(path).unwrap().pragma_update(None, "user_version", 0).unwrap();
            },
            1,
        ),
        (
            "a newer version",
            |path| {
                Connection::open(path).unwrap().pragma_update(None, "user_version", 999).unwrap();
            },
            1,
        ),
        (
            "something else",
            |path| {
                Connection::open(path).unwrap().pragma_update(None, "application_id", 7).unwrap();
            },
            1,
        ),
        (
            "is damaged",
            |path| {
                Connection::open(path).unwrap().execute_batch("DROP TABLE known").unwrap();
            },
            1,
        ),
    ];
    for (reason, spoil, marks) in ways {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path());
        spoil(&folder.path().join(FILE));
        let (store, notices) = Store::open(folder.path()).unwrap();
        assert!(notices[0].contains(reason) && notices[0].contains("set aside"), "{reason}: {notices:?}");
        assert_eq!(store.marks().len(), marks, "{reason}");
        assert_eq!(store.known(&Key::of(&[&0u32.to_le_bytes()])), None);
        drop(store);
        let (_, notices) = Store::open(folder.path()).unwrap();
        assert_eq!(notices, Vec::<String>::new(), "{reason}: the new one is as it should be");
        assert!(folder.path().join(format!("{FILE}.aside-1")).exists());
    }
}

/// While another process has the store open, nobody pulls it away.
#[test]
fn a_store_in_use_is_not_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let (other, _) = Store::open(folder.path()).unwrap();
    Connection::open(folder.path().join(FILE)).unwrap().pragma_update(None, "user_version", 999).unwrap();
    let error = Store::open(folder.path()).unwrap_err();
    assert!(error.0.contains("another process"), "{}", error.0);
    drop(other);
    let (_, notices) = Store::open(folder.path()).unwrap();
    assert!(notices[0].contains("newer version"));
}

/// Whatever byte is changed: an answer is the right one, or there is none. Nothing panics.
#[test]
fn damage_anywhere_never_gives_a_wrong_answer() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().join(FILE);
    let whole = fs::read(&path).unwrap();
    let mut state = 1u64;
    let mut answered = 0;
    for round in 0..150 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (state >> 20) as usize % whole.len();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let mut bytes = whole.clone();
        match round % 3 {
            0 => bytes[at] ^= 1 << (round % 8),
            1 => bytes.truncate(at),
            _ => bytes[at..].iter_mut().take(512).for_each(|byte| *byte = 0x5a),
        }
        fs::write(&path, bytes).unwrap();
        let Ok((store, _)) = Store::open(folder.path()) else { continue };
        for number in 0..200u32 {
            if let Some(value) = store.known(&Key::of(&[&number.to_le_bytes()])) {
                assert_eq!(value, number.to_le_bytes().repeat(50), "round {round}, byte {at}");
                answered += 1;
            }
        }
        if let Some(result) = store.recorded(&Key::of(&[b"run"])) {
            assert_eq!(result, b"everything", "round {round}, byte {at}");
        }
        let _ = (store.findings(), store.functions("", 0, 100), store.marks(), store.runs(3));
        let _ = store
            .finish(&Key::of(&[b"next"]), &RunRow::default(), b"next", &[], &[], &|_| vec![function("f")]);
    }
    assert!(answered > 5_000, "most answers are still there: {answered}");
}

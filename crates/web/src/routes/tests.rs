//! Answers to good, odd and hostile requests, without a socket.

use watertight_finding::{
    Doubts, Finding, Level, Page, Place, Rule, RuleId, Step, StepKind, Support, Switch, Trace,
};
use watertight_report::SourceMap;
use watertight_store::{Change, RunRow, Store};

use super::*;
use crate::knowledge::Call;
use crate::marks::InMemory;

const SOURCE: &str = "#include <stdlib.h>\n\nchar *make(void)\n{\n    char *p = malloc(8);\n    return p;\n}\n\nint main(void)\n{\n    make();\n    return 0;\n}\n";
const EVIL: &str = "</script><img src=x onerror=alert(1)>\"'&\u{202e}\n../../etc/passwd";

fn rule() -> Rule {
    Rule {
        id: RuleId::new("memory-leak"),
        summary: "memory leaks".into(),
        level: Level::Warning,
        cwe: vec![].into(),
        default: Switch::On,
        since: "0.1.0".into(),
        help: "Release it.".into(),
        page: Page::NONE,
    }
}

fn finding(message: &str) -> Finding {
    let at = |line, column| Place::new("a.c", line, column).in_function("main");
    let mut finding = Finding::new(&rule(), message, at(11, 5));
    finding.doubts = Doubts::NONE;
    finding.exits = vec![Trace::new(
        Support::SolverChecked,
        vec![
            Step::new(StepKind::Acquire, at(11, 5), "`make` allocates memory here"),
            Step::new(StepKind::Lost, at(12, 5), "returns without freeing it"),
        ],
    )];
    finding
}

fn function(name: &str, place: Option<Place>, origin: Origin) -> Function {
    Function { name: name.to_owned(), place, origin, ..Function::default() }
}

fn knowledge() -> Knowledge {
    let mut make = function("make", Some(Place::new("a.c", 3, 0)), Origin::Code);
    make.does = vec!["returns new memory; the caller must release it with free".to_owned()];
    make.behaviours = vec!["returns-memory".to_owned()];
    let evil = function(EVIL, Some(Place::new(EVIL, 1, 0)), Origin::Code);
    Knowledge {
        version: "0.1.0".to_owned(),
        root: "/home/me/project".to_owned(),
        rules: vec![rule()],
        findings: vec![finding("memory leaks"), finding(EVIL)],
        functions: vec![
            make,
            function("main", Some(Place::new("a.c", 9, 0)), Origin::Code),
            function("malloc", None, Origin::Model("libc.models".to_owned())),
            evil,
            function("unknown_thing", None, Origin::Unknown),
        ],
        calls: [(1, 0), (0, 2)].map(|(caller, callee)| Call { caller, callee }).to_vec(),
        ..Knowledge::default()
    }
}

fn site() -> Site {
    let sources = SourceMap::from_iter([("a.c", SOURCE), (EVIL, EVIL), ("/etc/passwd", "secret")]);
    Site::new(knowledge(), Box::new(sources), Box::new(InMemory::default()))
}

fn ask(site: &Site, method: &str, target: &str) -> Response {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    site.answer(&Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        ..Request::default()
    })
}

fn json(response: &Response) -> serde_json::Value {
    assert_eq!(response.status, 200, "{}", String::from_utf8_lossy(&response.body));
    assert_eq!(response.kind, "application/json");
    serde_json::from_slice(&response.body).unwrap()
}

fn mark(site: &Site, body: &str) -> Response {
    site.answer(&Request {
        method: "POST".to_owned(),
        path: "/api/mark".to_owned(),
        headers: vec![("content-type".to_owned(), "application/json; charset=utf-8".to_owned())],
        body: body.as_bytes().to_vec(),
        ..Request::default()
    })
}

#[test]
fn the_page_has_its_parts_and_nothing_inline() {
    let site = site();
    let page = String::from_utf8(ask(&site, "GET", "/").body).unwrap();
    assert!(
        page.contains("id=\"function-search\"") && page.contains("id=\"path\"") && page.contains("<dialog")
    );
    assert!(!page.contains("<!-- findings") && !page.contains("<script>") && !page.contains("style="));
    assert!(!page.contains(" onclick") && !page.contains("http"));
    for part in ["/app.js", "/viewer.js", "/findings.js", "/history.js", "/style.css", "/app.css"] {
        assert_eq!(ask(&site, "GET", part).status, 200, "{part}");
        assert!(page.contains(&format!("\"{part}\"")), "{part}");
    }
}

#[test]
fn the_history_has_runs_from_old_to_new() {
    let run = |id: i64, high: u64, appeared: u64| StoredRun {
        id,
        at: format!("2026-01-0{id}T00:00:00Z"),
        confidences: [high, 1, 2],
        change: Change { appeared, gone: 0 },
        row: RunRow { version: "0.1.0".to_owned(), files: 3, ..RunRow::default() },
    };
    let known = Knowledge { runs: vec![run(2, 5, 4), run(1, 1, 1)], ..knowledge() };
    let sources = SourceMap::from_iter([("a.c", SOURCE)]);
    let site = Site::new(known, Box::new(sources), Box::new(InMemory::default()));
    let history = json(&ask(&site, "GET", "/api/history"));
    assert_eq!(history[0]["at"], "2026-01-01T00:00:00Z");
    assert_eq!(history[1]["findings"], serde_json::json!([5, 1, 2]));
    assert_eq!((&history[1]["new"], &history[1]["files"]), (&4.into(), &3.into()));
}

#[test]
fn a_function_is_found_and_told() {
    let site = site();
    let found = json(&ask(&site, "GET", "/api/functions?q=MA"));
    let names: Vec<&str> =
        found["functions"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["main", "make", "malloc"], "own functions before those of libraries");
    let found = json(&ask(&site, "GET", "/api/functions?q=&does=returns-memory"));
    assert_eq!(found["total"], 1);
    let make = json(&ask(&site, "GET", "/api/function?name=make"));
    assert_eq!(make["does"][0], "returns new memory; the caller must release it with free");
    assert_eq!(make["callers"][0]["name"], "main");
    assert_eq!(make["callees"][0]["name"], "malloc");
    let lines = make["source"]["runs"][0]["lines"].as_array().unwrap();
    assert_eq!((lines[1].as_str(), lines.last().unwrap().as_str()), (Some("char *make(void)"), Some("}")));
    let main = json(&ask(&site, "GET", "/api/function?name=main"));
    assert_eq!(main["findings"], serde_json::json!([0, 1]));
    assert_eq!(main["contracts"][0]["name"], "make");
    let unknown = json(&ask(&site, "GET", "/api/function?name=unknown_thing"));
    assert_eq!(unknown["does"][0], "is not known: its code was not read and no model describes it");
}

#[test]
fn a_finding_comes_with_its_path_source_and_contracts() {
    let one = json(&ask(&site(), "GET", "/api/finding?i=0"));
    assert_eq!(one["details"]["findings"].as_array().unwrap().len(), 1);
    assert_eq!(one["sources"]["a.c"]["runs"][0]["lines"][10], "    make();");
    let names: Vec<&str> =
        one["contracts"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["main", "make"]);
}

#[test]
fn no_request_decides_which_file_is_read() {
    let site = site();
    for target in [
        "/etc/passwd",
        "/../../etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/assets/../../../etc/passwd",
        "/api/../app.js",
        "//etc/passwd",
        "/api/finding?i=../../etc/passwd",
        "/api/finding?i=-1",
        "/api/finding?i=99999999999999999999999",
        "/api/finding",
        "/api/function?name=../../etc/passwd",
        "/api/function?name=make&file=/etc/passwd",
        "/api/function?name=make&file=../../etc/passwd",
        "/api/source?file=/etc/passwd",
        "",
        "*",
    ] {
        let response = ask(&site, "GET", target);
        assert_eq!(response.status, 404, "{target}");
        assert!(!String::from_utf8_lossy(&response.body).contains("secret"), "{target}");
    }
}

#[test]
fn hostile_names_are_data_in_every_answer() {
    let site = site();
    let found = json(&ask(&site, "GET", "/api/functions?q=onerror"));
    let shown = found["functions"][0]["name"].as_str().unwrap();
    assert!(shown.contains("<img") && shown.contains("\\u{202e}\\n"), "{shown}");
    for target in ["/api/project", "/api/findings", "/api/finding?i=1", "/api/functions?q="] {
        json(&ask(&site, "GET", target));
    }
    // No answer with a program's text is of a type that a browser would show as a page.
    let page = ask(&site, "GET", "/");
    assert!(!String::from_utf8_lossy(&page.body).contains("onerror"));
}

#[test]
fn marks_are_set_replaced_and_taken_away() {
    let site = site();
    let fingerprint = site.fingerprints[0].clone();
    let with = |rest: &str| format!("{{\"fingerprint\":\"{fingerprint}\"{rest}}}");
    let set = json(&mark(&site, &with(",\"verdict\":\"false\",\"note\":\"<b>freed</b> by the pool\"")));
    assert_eq!((&set["verdict"], &set["note"]), (&"false".into(), &"<b>freed</b> by the pool".into()));
    let listed = json(&ask(&site, "GET", "/api/findings"));
    assert_eq!(listed["marks"][&fingerprint]["verdict"], "false");
    assert_eq!(json(&mark(&site, &with(",\"verdict\":\"true\"")))["note"], "");
    assert!(json(&mark(&site, &with(""))).is_null());
    assert_eq!(json(&ask(&site, "GET", "/api/findings"))["marks"], serde_json::json!({}));
}

#[test]
fn odd_marks_are_refused() {
    let site = site();
    let fingerprint = &site.fingerprints[0];
    let long = "x".repeat(2001);
    for (body, status) in [
        ("".to_owned(), 400),
        ("[]".to_owned(), 400),
        (format!("{{\"fingerprint\":\"{fingerprint}\",\"verdict\":\"maybe\"}}"), 400),
        (format!("{{\"fingerprint\":\"{fingerprint}\",\"verdict\":\"true\",\"note\":\"{long}\"}}"), 400),
        (format!("{{\"fingerprint\":\"{fingerprint}\",\"more\":1}}"), 400),
        ("{\"fingerprint\":\"../../x\",\"verdict\":\"true\"}".to_owned(), 404),
    ] {
        assert_eq!(mark(&site, &body).status, status, "{body}");
    }
    let plain = Request {
        method: "POST".to_owned(),
        path: "/api/mark".to_owned(),
        headers: vec![("content-type".to_owned(), "text/plain".to_owned())],
        body: format!("{{\"fingerprint\":\"{fingerprint}\",\"verdict\":\"true\"}}").into_bytes(),
        ..Request::default()
    };
    assert_eq!(site.answer(&plain).status, 400, "a form of another page can send plain text");
    assert_eq!(ask(&site, "GET", "/api/mark").status, 405);
    assert_eq!(ask(&site, "POST", "/api/findings").status, 405);
}

#[test]
fn marks_are_kept_in_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path()).unwrap();
    let site = Site::new(knowledge(), Box::new(SourceMap::default()), Box::new(store));
    let body = format!(
        "{{\"fingerprint\":\"{}\",\"verdict\":\"wont-fix\",\"note\":\"later\"}}",
        site.fingerprints[0]
    );
    json(&mark(&site, &body));
    let fingerprint = site.fingerprints[0].clone();
    drop(site);
    let kept = Store::open_existing(folder.path()).unwrap().mark(&fingerprint).unwrap();
    assert_eq!((kept.verdict, &*kept.note), (Verdict::WontFix, "later"));
    assert!(kept.at.starts_with("20") && kept.at.ends_with('Z'));
}

#[test]
fn very_many_findings_and_functions_are_answered() {
    let mut all = knowledge();
    all.findings = (0..100_000).map(|i| finding(&format!("memory {i} is lost"))).collect();
    all.functions = (0..100_000)
        .map(|i| function(&format!("f{i}"), Some(Place::new("a.c", 3, 0)), Origin::Code))
        .collect();
    all.calls = (0..99_999).map(|i| Call { caller: i, callee: i + 1 }).collect();
    let site =
        Site::new(all, Box::new(SourceMap::from_iter([("a.c", SOURCE)])), Box::new(InMemory::default()));
    let listed = ask(&site, "GET", "/api/findings");
    assert!(listed.body.len() < 16 << 20, "{}", listed.body.len());
    let found = json(&ask(&site, "GET", "/api/functions?q=f"));
    assert_eq!(
        (found["total"].as_u64(), found["functions"].as_array().unwrap().len()),
        (Some(100_000), 1000)
    );
    json(&ask(&site, "GET", "/api/function?name=f50000"));
    json(&ask(&site, "GET", "/api/finding?i=99999"));
}

#[test]
fn a_line_of_megabytes_is_answered_in_pieces() {
    let long = format!("{}\n", "x".repeat(5 << 20)).repeat(3);
    let sources = SourceMap::from_iter([("a.c", format!("{long}{SOURCE}"))]);
    let mut all = knowledge();
    all.findings[0].exits[0].steps[0].place = Place::new("a.c", 1, 4 << 20);
    all.functions[0].place = Some(Place::new("a.c", 1, 0));
    let site = Site::new(all, Box::new(sources), Box::new(InMemory::default()));
    assert!(ask(&site, "GET", "/api/finding?i=0").body.len() < 100_000);
    assert!(ask(&site, "GET", "/api/function?name=make").body.len() < 100_000);
}

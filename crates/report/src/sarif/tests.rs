//! The log has what the standard requires, in the form it requires.
//!
//! The schema of the standard is not part of this repository. `is_valid` checks by hand the parts of it that
//! concern what we write: which properties an object may and must have, and which values they take. An
//! unknown property fails.

use proptest::prelude::*;
use serde_json::Value;
use watertight_finding::{Coverage, Support};

use super::*;
use crate::source::SourceMap;
use crate::testing::{conf_finding, conf_sources, finding, rules};

fn render(report: &Report<'_>, map: &SourceMap) -> Value {
    let mut out = Vec::new();
    write(&mut out, report, &mut Sources::new(map)).unwrap();
    assert_eq!(out.last(), Some(&b'\n'));
    serde_json::from_slice(&out).unwrap()
}

/// A property of an object and the check of its value. A `!` after the name marks one that must be there.
type Property<'a> = (&'a str, &'a dyn Fn(&Value));

/// Checks an object against what the standard says about its properties.
fn check_object(value: &Value, properties: &[Property<'_>]) {
    let object = value.as_object().unwrap_or_else(|| panic!("not an object: {value}"));
    for name in object.keys() {
        let known = properties.iter().any(|(known, _)| known.trim_end_matches('!') == name);
        assert!(known, "unknown property {name} in {value}");
    }
    for (name, check) in properties {
        let (name, required) = match name.strip_suffix('!') {
            Some(name) => (name, true),
            None => (*name, false),
        };
        match object.get(name) {
            Some(value) => check(value),
            None => assert!(!required, "{name} is missing in {value}"),
        }
    }
}

fn list(value: &Value, least: usize, check: &dyn Fn(&Value)) {
    let list = value.as_array().unwrap_or_else(|| panic!("not a list: {value}"));
    assert!(list.len() >= least, "too short: {value}");
    for (i, element) in list.iter().enumerate() {
        check(element);
        assert!(!list[..i].contains(element), "twice in a list: {element}");
    }
}

fn string(value: &Value) {
    assert!(value.is_string(), "not a string: {value}");
}

fn boolean(value: &Value) {
    assert!(value.is_boolean(), "not a boolean: {value}");
}

fn natural(value: &Value) {
    assert!(value.is_u64(), "not a natural number: {value}");
}

fn positive(value: &Value) {
    assert!(value.as_u64().is_some_and(|number| number > 0), "not a positive number: {value}");
}

fn any(_: &Value) {}

fn one_of(value: &Value, words: &[&str]) {
    assert!(value.as_str().is_some_and(|word| words.contains(&word)), "not one of {words:?}: {value}");
}

fn level(value: &Value) {
    one_of(value, &["none", "note", "warning", "error"]);
}

fn uri(value: &Value) {
    let uri = value.as_str().unwrap_or_else(|| panic!("not a string: {value}"));
    let allowed = |c: char| c.is_ascii_alphanumeric() || "/-._~%:".contains(c);
    assert!(uri.chars().all(allowed), "not a URI reference: {uri}");
    let scheme = uri.split_once(':').map(|(scheme, _)| scheme);
    assert!(scheme.is_none_or(|scheme| scheme == "file"), "strange scheme: {uri}");
}

fn message(value: &Value) {
    check_object(value, &[("text!", &string)]);
    let text = value["text"].as_str().unwrap();
    assert!(!text.replace("{{", "").contains('{'), "a brace that opens a placeholder: {text}");
    assert!(!text.contains("]("), "a bracket that makes a link: {text}");
}

fn value_text(value: &Value) {
    check_object(value, &[("text!", &string)]);
}

fn artifact_location(value: &Value) {
    check_object(value, &[("uri!", &uri), ("uriBaseId", &string)]);
    let is_absolute = value["uri"].as_str().unwrap().starts_with("file:");
    assert!(!(is_absolute && value.get("uriBaseId").is_some()), "absolute but with a base: {value}");
}

fn region(value: &Value) {
    check_object(value, &[("startLine!", &positive), ("startColumn", &positive), ("endColumn", &positive)]);
}

fn location(value: &Value) {
    check_object(
        value,
        &[
            ("id", &natural),
            ("physicalLocation", &|value| {
                check_object(value, &[("artifactLocation!", &artifact_location), ("region", &region)]);
            }),
            ("logicalLocations", &|value| {
                list(value, 1, &|value| {
                    check_object(value, &[("fullyQualifiedName", &string), ("kind", &string)])
                });
            }),
            ("message", &message),
        ],
    );
}

fn descriptor(value: &Value) {
    check_object(
        value,
        &[
            ("id!", &string),
            ("name", &string),
            ("shortDescription", &message),
            ("fullDescription", &message),
            ("help", &|value| check_object(value, &[("text!", &string), ("markdown", &string)])),
            ("defaultConfiguration", &|value| {
                check_object(value, &[("enabled", &boolean), ("level", &level)])
            }),
            ("properties", &any),
        ],
    );
}

fn reference(value: &Value) {
    check_object(value, &[("id", &string), ("index", &natural)]);
}

fn notification(value: &Value) {
    check_object(
        value,
        &[
            ("descriptor", &reference),
            ("associatedRule", &reference),
            ("level", &level),
            ("message!", &message),
            ("locations", &|value| list(value, 0, &location)),
        ],
    );
}

fn step(value: &Value) {
    check_object(
        value,
        &[
            ("location", &location),
            ("kinds", &|value| list(value, 0, &string)),
            ("nestingLevel", &natural),
            ("executionOrder", &natural),
            ("importance", &|value| one_of(value, &["essential", "important", "unimportant"])),
            ("state", &|value| value.as_object().unwrap().values().for_each(value_text)),
            ("properties", &any),
        ],
    );
}

fn code_flow(value: &Value) {
    let thread_flow = |value: &Value| check_object(value, &[("locations!", &|value| list(value, 1, &step))]);
    check_object(value, &[("threadFlows!", &|value| list(value, 1, &thread_flow)), ("properties", &any)]);
}

fn suppression(value: &Value) {
    check_object(
        value,
        &[
            ("kind!", &|value| one_of(value, &["inSource", "external"])),
            ("justification", &string),
            ("location", &location),
        ],
    );
}

fn result(value: &Value) {
    check_object(
        value,
        &[
            ("ruleId", &string),
            ("ruleIndex", &natural),
            ("kind", &|value| one_of(value, &["fail"])),
            ("level", &level),
            ("rank", &|value| assert!((0.0..=100.0).contains(&value.as_f64().unwrap()))),
            ("message!", &message),
            ("locations", &|value| list(value, 0, &location)),
            ("partialFingerprints", &|value| value.as_object().unwrap().values().for_each(string)),
            ("codeFlows", &|value| list(value, 0, &code_flow)),
            ("relatedLocations", &|value| list(value, 0, &location)),
            ("suppressions", &|value| list(value, 0, &suppression)),
            ("properties", &any),
        ],
    );
    let ids: Vec<u64> =
        value["relatedLocations"].as_array().into_iter().flatten().filter_map(|l| l["id"].as_u64()).collect();
    let distinct: BTreeSet<u64> = ids.iter().copied().collect();
    assert_eq!(ids.len(), distinct.len(), "an id twice in {value}");
}

fn is_valid(log: &Value) {
    let driver = |value: &Value| {
        check_object(
            value,
            &[
                ("name!", &string),
                ("semanticVersion", &string),
                ("rules", &|value| list(value, 0, &descriptor)),
                ("notifications", &|value| list(value, 0, &descriptor)),
            ],
        );
    };
    let invocation = |value: &Value| {
        check_object(
            value,
            &[
                ("executionSuccessful!", &boolean),
                ("workingDirectory", &artifact_location),
                ("toolExecutionNotifications", &|value| {
                    value.as_array().unwrap().iter().for_each(notification);
                }),
                ("toolConfigurationNotifications", &|value| {
                    value.as_array().unwrap().iter().for_each(notification);
                }),
            ],
        );
    };
    let run = |value: &Value| {
        check_object(
            value,
            &[
                ("tool!", &|value| check_object(value, &[("driver!", &driver)])),
                ("invocations", &|value| list(value, 0, &invocation)),
                ("originalUriBaseIds", &|value| {
                    value.as_object().unwrap().values().for_each(artifact_location)
                }),
                ("columnKind", &|value| one_of(value, &["utf16CodeUnits", "unicodeCodePoints"])),
                ("results", &|value| value.as_array().unwrap().iter().for_each(result)),
            ],
        );
        let rules = value["tool"]["driver"]["rules"].as_array().unwrap();
        let results = value["results"].as_array().unwrap();
        for result in results {
            if let Some(index) = result.get("ruleIndex").and_then(Value::as_u64) {
                assert_eq!(rules[index as usize]["id"], result["ruleId"]);
            }
        }
        let with_suppressions = results.iter().filter(|result| result.get("suppressions").is_some()).count();
        assert!(
            with_suppressions == 0 || with_suppressions == results.len(),
            "suppressions on some results only"
        );
    };
    check_object(
        log,
        &[
            ("$schema", &string),
            ("version!", &|value| one_of(value, &["2.1.0"])),
            ("runs!", &|value| list(value, 1, &run)),
        ],
    );
}

#[test]
fn links_to_other_pages_become_names() {
    let text = "Where [double-release](double-release.md) is on, see [CWE](https://x.org/1.html) [a](b.md).";
    let plain = "Where `double-release` is on, see [CWE](https://x.org/1.html) `b`.";
    assert_eq!(super::without_links(text), plain);
}

#[test]
fn an_empty_run_is_a_valid_log() {
    let log = render(&Report::new("0.1.0", &[]), &SourceMap::default());
    is_valid(&log);
    assert_eq!(log["runs"][0]["results"], serde_json::json!([]));
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn a_finding_has_rule_place_path_and_fingerprint() {
    let rules = rules();
    let findings = [conf_finding()];
    let report = Report {
        findings: &findings,
        root: Some("/home/me/my project"),
        coverage: Coverage { files: 1, functions: 1, proved: None, proved_assuming: Vec::new() },
        ..Report::new("0.1.0", &rules)
    };
    let log = render(&report, &conf_sources());
    is_valid(&log);
    let run = &log["runs"][0];
    assert_eq!(run["originalUriBaseIds"]["SRCROOT"]["uri"], "file:///home/me/my%20project/");
    assert_eq!(run["tool"]["driver"]["rules"][1]["properties"]["tags"][0], "external/cwe/cwe-772");
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "memory-leak");
    assert_eq!(result["message"]["text"], "`copy` leaks on some paths.");
    assert_eq!(
        result["locations"][0],
        serde_json::json!({
            "physicalLocation": {
                "artifactLocation": { "uri": "src/conf.c", "uriBaseId": "SRCROOT" },
                "region": { "startLine": 3, "startColumn": 18, "endColumn": 30 }
            },
            "logicalLocations": [{ "fullyQualifiedName": "load", "kind": "function" }]
        })
    );
    assert_eq!(result["partialFingerprints"]["watertight/v1"], fingerprint(&findings[0]).to_string());
    assert_eq!(result["properties"]["confidence"], "high");
    assert_eq!(result["properties"]["support"], "solver-checked");
    assert!(result.get("suppressions").is_none());
    let flows = result["codeFlows"].as_array().unwrap();
    assert_eq!(flows.len(), 2);
    assert_eq!(flows[1]["properties"]["support"], "unchecked");
    let steps = flows[0]["threadFlows"][0]["locations"].as_array().unwrap();
    assert_eq!(steps.len(), 4);
    assert_eq!(steps[2]["state"]["parse(copy, out)"]["text"], "0");
    assert_eq!(steps[2]["executionOrder"], 3);
    assert_eq!(steps[3]["kinds"], serde_json::json!(["danger", "resource"]));
    let related: Vec<&str> = result["relatedLocations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|location| location["message"]["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        related,
        [
            "`copy` was the last reference: it is lost",
            "`copy` was the last reference: it is lost",
            "on another path: `free` releases it",
            "assuming that `log_name` does not keep its first argument",
        ]
    );
}

#[test]
fn what_could_not_be_done_is_notified() {
    let rules = rules();
    let problems = [
        Problem::new(ProblemKind::GivenUp, "f", "the step budget is spent").at(Place::new("a.c", 3, 1)),
        Problem::new(ProblemKind::UnitFailed, "b.c", "clang failed"),
        Problem::new(ProblemKind::UnusedSuppression, "resource-leak", "nothing there")
            .at(Place::new("a.c", 9, 1)),
    ];
    let report = Report { problems: &problems, ending: Ending::Failed, ..Report::new("0.1.0", &rules) };
    let log = render(&report, &SourceMap::default());
    is_valid(&log);
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let execution = invocation["toolExecutionNotifications"].as_array().unwrap();
    assert_eq!(execution.len(), 2);
    assert_eq!(execution[0]["message"]["text"], "`f` was analysed only in part: the step budget is spent.");
    assert_eq!(execution[1]["level"], "error");
    let kinds = &log["runs"][0]["tool"]["driver"]["notifications"];
    for notification in execution {
        let index = notification["descriptor"]["index"].as_u64().unwrap() as usize;
        assert_eq!(kinds[index]["id"], notification["descriptor"]["id"]);
    }
    let configuration = &invocation["toolConfigurationNotifications"][0];
    assert_eq!(configuration["associatedRule"], serde_json::json!({ "id": "resource-leak", "index": 1 }));
}

#[test]
fn suppressed_findings_are_results_with_their_reason() {
    let rules = rules();
    let findings = [finding("a.c", 1, 1)];
    let suppressed = [Suppressed {
        finding: finding("a.c", 9, 1),
        reason: "lives on".into(),
        place: Place::new("a.c", 8, 1),
        by: crate::suppress::By::Comment,
    }];
    let report = Report { findings: &findings, suppressed: &suppressed, ..Report::new("0.1.0", &rules) };
    let log = render(&report, &SourceMap::default());
    is_valid(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results[0]["suppressions"], serde_json::json!([]));
    assert_eq!(results[1]["suppressions"][0]["justification"], "lives on");
}

#[test]
fn columns_count_utf16_units_and_fall_back_to_bytes() {
    let rules = rules();
    let map = SourceMap::from_iter([("a.c", "\"😀é\"; p = f(1);")]);
    let findings = [
        finding("a.c", 1, "\"😀é\"; p = ".len() as u32 + 1),
        finding("missing.c", 1, 30),
        finding("a.c", 1, 0),
    ];
    let log = render(&Report { findings: &findings, ..Report::new("0.1.0", &rules) }, &map);
    is_valid(&log);
    let region = |i: usize| &log["runs"][0]["results"][i]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(*region(0), serde_json::json!({ "startLine": 1, "startColumn": 12, "endColumn": 16 }));
    assert_eq!(*region(1), serde_json::json!({ "startLine": 1, "startColumn": 30 }));
    assert_eq!(*region(2), serde_json::json!({ "startLine": 1 }));
}

fn hostile() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a",
        "{0}",
        "}",
        "[x](1)",
        "](",
        "\n",
        "\u{1b}",
        "日本",
        "\"",
        "%",
        "../",
        "/",
        ":",
        "</script>",
        " ",
    ];
    proptest::collection::vec(proptest::sample::select(pieces), 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_breaks_the_log(
        text in hostile(),
        file in hostile(),
        function in hostile(),
        root in hostile(),
        line in 0_u32..4,
        column in 0_u32..4,
    ) {
        let rules = rules();
        let place = Place::new(file, line, column).in_function(function.clone());
        let mut finding = finding("a.c", 1, 1);
        finding.message = text.clone();
        finding.place = place.clone();
        let lost = Step::new(StepKind::Lost, place.clone(), text.clone()).with_value(text.clone(), function);
        finding.exits =
            vec![Trace::new(Support::Replayed, vec![]), Trace::new(Support::Replayed, vec![lost])];
        let problems = [Problem::new(ProblemKind::GivenUp, text.clone(), text).at(place)];
        let findings = [finding];
        let root = format!("/{root}");
        let report = Report {
            findings: &findings,
            problems: &problems,
            root: Some(&root),
            ..Report::new("0.1.0", &rules)
        };
        is_valid(&render(&report, &SourceMap::default()));
    }
}

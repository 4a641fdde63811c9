//! Nothing from a program becomes markup, the page asks for nothing from elsewhere, and its size stays in bounds.

use proptest::prelude::*;
use watertight_finding::{Finding, Place, Problem, ProblemKind, Step, StepKind};

use super::*;
use crate::Contract;
use crate::source::SourceMap;
use crate::testing::{conf_finding, conf_sources, rules};

fn render(report: &Report<'_>, map: &SourceMap) -> String {
    let mut out = Vec::new();
    write(&mut out, report, &mut Sources::new(map)).unwrap();
    String::from_utf8(out).unwrap()
}

/// The JSON of a block.
fn block(page: &str, id: &str) -> serde_json::Value {
    let start = format!("<script type=\"application/json\" id=\"{id}\">");
    let (_, rest) = page.split_once(&start).unwrap_or_else(|| panic!("no block {id}"));
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// The tags of a page, without the text between them. Scripts and styles hide their content, as in a browser.
fn tags(page: &str) -> Vec<String> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag is closed");
        let tag = &rest[start..=end];
        tags.push(tag.to_owned());
        rest = &rest[end + 1..];
        for raw in ["script", "style"] {
            if tag.starts_with(&format!("<{raw}")) {
                rest = &rest[rest.find(&format!("</{raw}>")).expect("it is closed")..];
            }
        }
    }
    tags
}

fn report<'a>(findings: &'a [Finding], rules: &'a [watertight_finding::Rule]) -> Report<'a> {
    Report { findings, root: Some("/home/me/project"), ..Report::new("0.1.0", rules) }
}

#[test]
fn the_data_of_a_finding_is_in_the_page() {
    let rules = rules();
    let findings = [conf_finding()];
    let contracts = [
        Contract { name: "load".into(), from: "src/conf.c:1".into(), does: vec!["allocates".into()] },
        Contract { name: "unnamed".into(), from: String::new(), does: Vec::new() },
    ];
    let report = Report { contracts: &contracts, ..report(&findings, &rules) };
    let page = render(&report, &conf_sources());
    let meta = block(&page, "meta");
    assert_eq!(meta["sources"]["src/conf.c"], 0);
    assert_eq!(meta["summary"], "1 finding (1 high) in 0 files; 0 functions analysed");
    let index = block(&page, "index");
    assert_eq!(index["rows"][0][7], 3);
    assert_eq!(index["texts"][index["rows"][0][5].as_u64().unwrap() as usize], findings[0].message);
    assert_eq!(block(&page, "s0")["runs"][0]["lines"][2], "    char *copy = strdup(name);");
    assert_eq!(block(&page, "d0")["findings"].as_array().unwrap().len(), 1);
    assert_eq!(block(&page, "contracts").as_array().unwrap().len(), 1, "only functions that a path names");
    assert!(page.contains("<title>project · Watertight</title>"));
}

#[test]
fn the_policy_allows_exactly_what_is_there() {
    let rules = rules();
    let page = render(&report(&[], &rules), &conf_sources());
    let policy =
        page.split_once("Content-Security-Policy\" content=\"").unwrap().1.split_once('"').unwrap().0;
    let script = page.rsplit_once("<script>").unwrap().1.split_once("</script>").unwrap().0;
    let style = page.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    assert!(policy.contains(&format!("script-src {}", sha256::policy_source(script))), "{policy}");
    assert!(policy.contains(&format!("style-src {}", sha256::policy_source(style))), "{policy}");
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert!(!script.contains("innerHTML") && !script.contains("eval("));
    // The only address is the name of a vocabulary, which nobody asks for.
    for (at, _) in page.match_indices("http") {
        let rest = &page[at..];
        assert!(
            rest.starts_with("http://www.w3.org/2000/svg") || rest.starts_with("http-equiv"),
            "{}",
            &rest[..40]
        );
    }
    assert!(!page.contains("src=") && !page.contains("href=") && !page.contains("url("));
}

#[test]
fn hostile_texts_leave_the_tags_as_they_are() {
    let evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&amp;<!--\u{2028}\u{202e}";
    let rules = rules();
    let place = Place::new(format!("{evil}.c"), 1, 3).in_function(evil);
    let mut hostile = conf_finding();
    hostile.message = evil.into();
    hostile.place = place.clone();
    hostile.exits[0].steps = vec![Step::new(StepKind::Lost, place.clone(), evil).with_value(evil, evil)];
    let map = SourceMap::from_iter([(format!("{evil}.c"), format!("  {evil}\n{evil}"))]);
    let contracts = [Contract { name: evil.into(), from: evil.into(), does: vec![evil.into()] }];
    let problems = [Problem::new(ProblemKind::GivenUp, evil, evil).at(place)];
    let findings = [hostile];
    let root = format!("/{}", evil.replace('/', ""));
    let evil_report =
        Report { contracts: &contracts, problems: &problems, root: Some(&root), ..report(&findings, &rules) };
    let page = render(&evil_report, &map);
    let calm = [conf_finding()];
    let expected = tags(&render(&report(&calm, &rules), &conf_sources()));
    assert_eq!(tags(&page), expected);
    assert_eq!(block(&page, "s0")["runs"][0]["lines"][1].as_str().unwrap().chars().next(), Some('<'));
}

#[test]
fn very_many_findings_stay_in_blocks() {
    let rules = rules();
    let findings: Vec<Finding> = (0..100_000)
        .map(|i| {
            let mut finding = conf_finding();
            finding.place.line = 1 + i % 13;
            finding.message = format!("memory number {i} is lost");
            finding
        })
        .collect();
    let page = render(&report(&findings, &rules), &conf_sources());
    assert!(page.len() < 60 << 20, "{} MB", page.len() >> 20);
    assert_eq!(block(&page, "index")["rows"].as_array().unwrap().len(), 100_000);
    assert_eq!(block(&page, "d499")["findings"].as_array().unwrap().len(), 200);
    assert!(!page.contains("id=\"d500\""));
}

#[test]
fn a_line_of_megabytes_does_not_come_along() {
    let rules = rules();
    let long = "x".repeat(5 << 20);
    let map = SourceMap::from_iter([("src/conf.c", format!("{long}\n{long} = f();\n{long}"))]);
    let mut finding = conf_finding();
    finding.exits[0].steps[3].place = Place::new("src/conf.c", 2, (5 << 20) + 4).in_function("load");
    let page = render(&report(&[finding], &rules), &map);
    assert!(page.len() < 200_000, "{}", page.len());
    assert!(page.contains("xxx = f();"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_text_leaves_the_tags_as_they_are(message in any::<String>(), source in any::<Vec<u8>>(), column in 0..40_u32) {
        let rules = rules();
        let mut finding = conf_finding();
        finding.message = message;
        finding.exits[0].steps[0].place = Place::new("src/conf.c", 1, column);
        let findings = [finding];
        let page = render(&report(&findings, &rules), &SourceMap::from_iter([("src/conf.c", source)]));
        let calm = [conf_finding()];
        prop_assert_eq!(tags(&page), tags(&render(&report(&calm, &rules), &conf_sources())));
        let _ = (block(&page, "d0"), block(&page, "s0"));
    }
}

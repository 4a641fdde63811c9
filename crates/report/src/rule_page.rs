//! What there is to read about a rule: the text behind `watertight explain`, `docs/rules/` and the help of SARIF.
//!
//! In: rules. Out: Markdown, made of what the rule declares (name, CWE, level, severity, default), the page of its checker
//! (what it is, a bad and a good example, what to do) and what holds for every rule (how it is ranked, how to suppress it).

use std::fmt::Write as _;

use watertight_finding::{Rule, Switch};

use crate::select::GROUPS;

/// The page of a rule.
#[must_use]
pub fn page(rule: &Rule) -> String {
    let mut page = format!("# {}\n\n", title(rule));
    let _ = writeln!(page, "`{}`: {}.\n", rule.id, rule.summary);
    page += "| | |\n| --- | --- |\n";
    if !rule.cwe.is_empty() {
        let link = |cwe: &watertight_finding::Cwe| {
            format!("[{cwe}](https://cwe.mitre.org/data/definitions/{}.html)", cwe.0)
        };
        let _ = writeln!(page, "| Weakness | {} |", rule.cwe.iter().map(link).collect::<Vec<_>>().join(", "));
    }
    let _ = writeln!(page, "| Level | {} |", rule.level.name());
    if !rule.page.severity.is_empty() {
        let _ = writeln!(page, "| Severity for security | {} of 10 |", rule.page.severity);
    }
    let _ = writeln!(page, "| By default | {} |", switch(rule));
    let _ = writeln!(page, "| Since | {} |\n", rule.since);
    match rule.page.text.is_empty() {
        false => page += &rule.page.text,
        true => {
            let _ = writeln!(page, "{}", rule.help);
        }
    }
    let _ = write!(
        page,
        "\n## How it is ranked\n\n\
         Findings come in the order of urgency: those in ordinary runs first, what happens in every iteration of a loop before the rest;\n\
         then those on error paths; then those that need memory to run out; then those just before the program ends. The last two\n\
         kinds are one level quieter than the rule, and the text output counts them instead of showing them, unless `--all` is given\n\
         or `--rules` names the rule.\n\
         The confidence is `high`, `medium` or `low`; findings of low confidence are shown with `--confidence low`.\n\n\
         ## How to suppress it\n\n\
         At the place of the finding, or where the resource is lost, with a reason:\n\n\
         ```c\n// watertight: ignore[{id}] the reason\n```\n\n\
         Or for everybody who works on the project, without a change to the source:\n\n\
         ```sh\nwatertight mark set FILE:LINE false --reason \"the reason\"\n```\n\n\
         Or turn the rule off: `--rules=-{id}` on the command line, `rules = \"-{id}\"` in `watertight.toml`.\n",
        id = rule.id,
    );
    page
}

/// The list of all rules, with links to their pages.
#[must_use]
pub fn index(rules: &[Rule]) -> String {
    let mut page = String::from(
        "# Rules\n\n\
         What Watertight looks for. `watertight rules` prints this list, `watertight explain RULE` one of the pages, and `--rules`\n\
         chooses ([output.md](../output.md#choosing)). Rules of your own are described in [properties.md](../properties.md).\n\n\
         | Rule | | Level | Weakness | By default |\n| --- | --- | --- | --- | --- |\n",
    );
    for rule in rules {
        let cwe: Vec<String> = rule.cwe.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            page,
            "| [{id}]({id}.md) | {} | {} | {} | {} |",
            title(rule),
            rule.level.name(),
            cwe.join(", "),
            switch(rule),
            id = rule.id
        );
    }
    page
}

/// What people call the defect.
fn title(rule: &Rule) -> String {
    if rule.page.title.is_empty() { rule.id.to_string() } else { rule.page.title.to_string() }
}

/// Whether a rule is on by default.
#[must_use]
pub fn switch(rule: &Rule) -> &'static str {
    match rule.default {
        Switch::On => "on",
        Switch::Off => "off",
    }
}

/// The rules as a table for a terminal.
#[must_use]
pub fn table(rules: &[Rule]) -> String {
    let widest = rules.iter().map(|rule| rule.id.as_str().len()).max().unwrap_or_default();
    let mut text = String::new();
    for rule in rules {
        let cwe = rule.cwe.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let (on, level) = (switch(rule), rule.level.name());
        let _ = writeln!(text, "{:widest$}  {on:3}  {level:7}  {cwe:8}  {}", rule.id.as_str(), about(rule));
    }
    text.push_str("\ngroups, which `--rules` takes like rules:\n");
    for (group, members) in GROUPS {
        let _ = writeln!(text, "{group:widest$}  {}", members.join(", "));
    }
    text
}

/// A rule in a few words: its title, or what it says of its object.
fn about(rule: &Rule) -> &str {
    if rule.page.title.is_empty() { &rule.summary } else { &rule.page.title }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::rules;

    #[test]
    fn a_rule_without_a_page_has_its_help() {
        let page = page(&rules()[0]);
        assert!(page.starts_with("# memory-leak\n\n`memory-leak`: memory leaks.\n"));
        assert!(page.contains("| Weakness | [CWE-401](https://cwe.mitre.org/data/definitions/401.html) |"));
        assert!(page.contains("Release it on every path.\n\n## How it is ranked"));
        assert!(page.contains("// watertight: ignore[memory-leak] the reason"));
    }

    #[test]
    fn rules_as_a_table() {
        let table = table(&rules());
        let (listed, groups) = table.split_once("\n\n").unwrap();
        assert_eq!(
            listed,
            "\
memory-leak    on   warning  CWE-401   memory leaks
resource-leak  on   warning  CWE-772, CWE-775  a stream leaks
leak-at-exit   off  warning            memory is still held when the program ends"
        );
        assert!(groups.contains("\nlocks          double-lock, "), "{groups}");
        assert!(
            index(&rules())
                .contains("| [leak-at-exit](leak-at-exit.md) | leak-at-exit | warning |  | off |\n")
        );
    }
}

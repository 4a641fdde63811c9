//! `watertight rules` and `watertight explain`: what is looked for, and what there is to read about it.

use watertight_finding::Rule;
use watertight_report::rule_page::{page, table};
use watertight_report::select::find;

use crate::args;
use crate::exit::{Exit, Stop};
use crate::output;
use crate::settings::Settings;

/// Lists the rules, those of the project's own properties included.
pub(crate) fn list(settings: &Settings) -> Result<Exit, Stop> {
    let text = table(&known(settings));
    output::write(None, Box::new(move |out| out.write_all(text.as_bytes())))?;
    Ok(Exit::Clean)
}

/// Prints the page of a rule.
pub(crate) fn explain(settings: &Settings, arguments: &args::Explain) -> Result<Exit, Stop> {
    let known = known(settings);
    let id = find(&arguments.rule, &known).map_err(|error| Stop::usage(error.to_string()))?;
    let text: String = known.iter().filter(|rule| rule.id == id).map(page).collect();
    output::write(None, Box::new(move |out| out.write_all(text.as_bytes())))?;
    Ok(Exit::Clean)
}

fn known(settings: &Settings) -> Vec<Rule> {
    settings.rules(&settings.request())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::tests::is_up_to_date;
    use watertight_analysis::rules;
    use watertight_report::rule_page::index;

    const GENERATED: &str = "<!-- Generated from crates/checkers; `WATERTIGHT_BLESS=1 cargo test -p watertight-cli rules` writes it. -->\n";

    #[test]
    fn the_pages_are_up_to_date() {
        let rules = rules();
        for rule in &rules {
            assert!(!rule.page.text.is_empty(), "{} has no page", rule.id);
            is_up_to_date(&format!("docs/rules/{}.md", rule.id), &format!("{}\n{GENERATED}", page(rule)));
        }
        is_up_to_date("docs/rules/README.md", &format!("{}\n{GENERATED}", index(&rules)));
    }

    #[test]
    fn no_page_is_left_of_a_rule_that_is_gone() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), rules().len() + 1);
    }
}

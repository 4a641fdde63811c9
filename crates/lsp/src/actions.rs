//! Code actions: suppress a finding with a reason, and prove a statement.
//!
//! A suppression needs a reason, and only a person has it. The action therefore writes a comment that ends where the reason
//! belongs; until it is written there, the finding stays and the next check says that the reason is missing. Editors that
//! can ask for a text first use the command `watertight.suppress` with the reason as an argument.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, Command, Diagnostic, NumberOrString, Position, Range, TextEdit, Uri,
    WorkspaceEdit,
};
use serde::{Deserialize, Serialize};

use crate::diagnostics::SOURCE;
use crate::documents::line;

/// The command that writes a suppression with a reason.
pub(crate) const SUPPRESS: &str = "watertight.suppress";

/// The command that proves a statement.
pub(crate) const PROVE: &str = "watertight.prove";

/// The argument of [`PROVE`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Statement {
    pub(crate) uri: Uri,
    /// Counted from zero.
    pub(crate) line: u32,
}

/// The action that proves the statement in a line, if something could be lost there: by an assignment, a call or the end of a
/// function.
pub(crate) fn proof(uri: &Uri, text: &str, number: u32) -> Option<Command> {
    let code = line(text, number)?.trim_start();
    let may_lose = ["=", "(", "return"].iter().any(|sign| code.contains(sign)) || code.starts_with('}');
    if !may_lose || code.starts_with("//") || code.starts_with('#') {
        return None;
    }
    let statement = Statement { uri: uri.clone(), line: number };
    let argument = serde_json::to_value(statement).ok()?;
    let title = "Prove that this statement leaks nothing".to_owned();
    Some(Command { title, command: PROVE.to_owned(), arguments: Some(vec![argument]) })
}

/// The argument of [`SUPPRESS`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Suppression {
    pub(crate) uri: Uri,
    /// Counted from zero.
    pub(crate) line: u32,
    pub(crate) rule: String,
    /// Why it is no defect.
    #[serde(default)]
    pub(crate) reason: String,
}

/// The actions for findings at a place.
pub(crate) fn suppressions(uri: &Uri, text: &str, diagnostics: &[Diagnostic]) -> Vec<CodeAction> {
    let mut actions = Vec::new();
    for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.source.as_deref() == Some(SOURCE)) {
        let Some(NumberOrString::String(rule)) = &diagnostic.code else { continue };
        let at = diagnostic.range.start.line;
        for (title, reason) in [
            (format!("Suppress {rule} here; the reason is up to you"), ""),
            (
                format!("Suppress {rule} here: it lives as long as the program"),
                "it lives as long as the program",
            ),
        ] {
            let suppression =
                Suppression { uri: uri.clone(), line: at, rule: rule.clone(), reason: reason.to_owned() };
            actions.push(CodeAction {
                title,
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![diagnostic.clone()]),
                edit: Some(edit(text, &suppression)),
                ..CodeAction::default()
            });
        }
    }
    actions
}

/// The edit that writes a suppression above the line that it speaks of.
pub(crate) fn edit(text: &str, suppression: &Suppression) -> WorkspaceEdit {
    let code = line(text, suppression.line).unwrap_or_default();
    let indentation = &code[..code.len() - code.trim_start().len()];
    // The reason is one line, whatever the editor sends.
    let reason = suppression.reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let comment = format!("{indentation}// watertight: ignore[{}] {reason}\n", suppression.rule);
    let start = Position::new(suppression.line, 0);
    let edit = TextEdit { range: Range::new(start, start), new_text: comment };
    #[allow(clippy::mutable_key_type, reason = "the protocol's own type")]
    let changes = HashMap::from([(suppression.uri.clone(), vec![edit])]);
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

#[cfg(test)]
#[allow(clippy::mutable_key_type, reason = "the protocol's own type")]
mod tests {
    use super::*;
    use std::str::FromStr;

    #[test]
    fn the_comment_stands_above_the_code_and_as_deep() {
        let uri = Uri::from_str("file:///a.c").expect("an address");
        let diagnostic = Diagnostic {
            range: Range::new(Position::new(1, 8), Position::new(1, 14)),
            source: Some(SOURCE.to_owned()),
            code: Some(NumberOrString::String("memory-leak".to_owned())),
            ..Diagnostic::default()
        };
        let other = Diagnostic { source: Some("clangd".to_owned()), ..diagnostic.clone() };
        let actions = suppressions(&uri, "void f() {\n\t p = malloc(1);\n}\n", &[other, diagnostic]);
        assert_eq!(actions.len(), 2);
        let texts: Vec<String> = actions
            .iter()
            .map(|action| {
                let changes = action.edit.as_ref().and_then(|edit| edit.changes.as_ref()).expect("an edit");
                let edits = &changes[&uri];
                assert_eq!(edits[0].range, Range::new(Position::new(1, 0), Position::new(1, 0)));
                edits[0].new_text.clone()
            })
            .collect();
        assert_eq!(texts[0], "\t // watertight: ignore[memory-leak] \n");
        assert_eq!(texts[1], "\t // watertight: ignore[memory-leak] it lives as long as the program\n");
    }

    #[test]
    fn proofs_are_offered_where_something_can_be_lost() {
        let uri = Uri::from_str("file:///a.c").expect("an address");
        let text = "int f(void) {\n    int x;\n    p = q;\n    // p = q;\n}\n";
        let offered: Vec<u32> = (0..9).filter(|&line| proof(&uri, text, line).is_some()).collect();
        assert_eq!(offered, [0, 2, 4]);
    }

    #[test]
    fn a_reason_stays_in_the_comment() {
        let suppression = Suppression {
            uri: Uri::from_str("file:///a.c").expect("an address"),
            line: 7,
            rule: "memory-leak".to_owned(),
            reason: "first\n}\nint evil;".to_owned(),
        };
        let edit = edit("one line", &suppression);
        let changes = edit.changes.expect("an edit");
        let text = &changes.values().next().expect("one file")[0].new_text;
        assert_eq!(text, "// watertight: ignore[memory-leak] first } int evil;\n");
    }
}

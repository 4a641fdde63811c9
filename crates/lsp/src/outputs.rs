//! What runs of `watertight` print for programs, as far as the server needs it. The schema is that of `docs/output.md`.

use serde::{Deserialize, Deserializer};

/// What `check --format json` prints.
#[derive(Debug, Deserialize)]
pub(crate) struct Report {
    pub(crate) findings: Vec<Finding>,
    #[serde(default)]
    pub(crate) problems: Vec<Problem>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Finding {
    pub(crate) rule: String,
    pub(crate) level: String,
    pub(crate) message: String,
    pub(crate) place: Place,
    #[serde(default)]
    pub(crate) exits: Vec<Exit>,
    #[serde(default)]
    pub(crate) needs: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Exit {
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Step {
    pub(crate) text: String,
    pub(crate) place: Place,
}

/// Lines and columns count from one, columns in bytes; 0, in JSON `null`, is not known.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Place {
    pub(crate) file: String,
    #[serde(default, deserialize_with = "or_zero")]
    pub(crate) line: u32,
    #[serde(default, deserialize_with = "or_zero")]
    pub(crate) column: u32,
}

fn or_zero<'d, D: Deserializer<'d>>(number: D) -> Result<u32, D::Error> {
    Ok(Option::deserialize(number)?.unwrap_or_default())
}

#[derive(Debug, Deserialize)]
pub(crate) struct Problem {
    pub(crate) kind: String,
    pub(crate) subject: String,
    pub(crate) cause: String,
    pub(crate) place: Option<Place>,
}

/// What `summary --json` prints for each function of a name.
#[derive(Debug, Deserialize)]
pub(crate) struct Contract {
    pub(crate) name: String,
    pub(crate) place: Option<String>,
    pub(crate) model_file: Option<String>,
    pub(crate) does: Vec<String>,
    #[serde(default)]
    pub(crate) behaviours: Vec<String>,
}

/// What `prove --json` prints.
#[derive(Debug, Deserialize)]
pub(crate) struct Proofs {
    pub(crate) functions: Vec<Proved>,
}

/// The answers for one function.
#[derive(Debug, Deserialize)]
pub(crate) struct Proved {
    pub(crate) probes: Vec<Probe>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Probe {
    /// The reference that the question is about.
    pub(crate) lost: String,
    /// `file:line:column`.
    pub(crate) place: String,
    pub(crate) verdict: String,
    #[serde(default)]
    pub(crate) detail: Detail,
}

/// What depends on the verdict.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Detail {
    /// What a proof rests on.
    pub(crate) assumptions: Vec<String>,
    /// The way on which something is lost.
    pub(crate) steps: Vec<Passed>,
    /// Why there is no answer.
    pub(crate) why: Option<String>,
}

/// A step of such a way.
#[derive(Debug, Deserialize)]
pub(crate) struct Passed {
    /// `file:line` or `file:line:column`.
    pub(crate) place: String,
    pub(crate) text: String,
}

impl Place {
    /// Reads `file:line` or `file:line:column`; a file may have colons in its name.
    pub(crate) fn read(text: &str) -> Option<Place> {
        let (front, last) = text.rsplit_once(':')?;
        let last: u32 = last.parse().ok()?;
        let with_column = front.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        Some(match with_column {
            Some((file, line)) => Place { file: file.to_owned(), line, column: last },
            None => Place { file: front.to_owned(), line: last, column: 0 },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_without_line_and_column_is_read() {
        let place: Place =
            serde_json::from_str(r#"{"file": "a.c", "line": null, "column": null}"#).expect("a place");
        assert_eq!((place.line, place.column), (0, 0));
    }

    #[test]
    fn places_are_read() {
        let read = |text: &str| Place::read(text).map(|place| (place.file, place.line, place.column));
        assert_eq!(read("src/a.c:7:3"), Some(("src/a.c".to_owned(), 7, 3)));
        assert_eq!(read("src/a.c:7"), Some(("src/a.c".to_owned(), 7, 0)));
        assert_eq!(read("a:b.c:7"), Some(("a:b.c".to_owned(), 7, 0)));
        assert_eq!(read("a.c"), None);
        assert_eq!(read("a.c:x"), None);
    }
}

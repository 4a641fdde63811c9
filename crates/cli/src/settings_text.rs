//! The text of `watertight.toml`: what is written in it, and nothing about where its paths lead.
//!
//! A key that does not exist is an error, so that a misspelt one is not silently ignored. Nothing else of this program is used
//! here, so that the fuzz target reads this file as it stands.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer};
use watertight_finding::Confidence;

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Written {
    #[serde(default, deserialize_with = "terms")]
    pub(crate) rules: Option<String>,
    #[serde(default, deserialize_with = "level")]
    pub(crate) confidence: Option<Confidence>,
    #[serde(default)]
    pub(crate) models: Vec<PathBuf>,
    #[serde(default)]
    pub(crate) properties: Vec<PathBuf>,
    pub(crate) database: Option<PathBuf>,
    #[serde(default)]
    pub(crate) include: Vec<String>,
    #[serde(default)]
    pub(crate) exclude: Vec<String>,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) baseline: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a text or a list of texts")]
enum Terms {
    Text(String),
    List(Vec<String>),
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    High,
    Medium,
    Low,
}

fn terms<'d, D: Deserializer<'d>>(written: D) -> Result<Option<String>, D::Error> {
    Ok(Some(match Terms::deserialize(written)? {
        Terms::Text(text) => text,
        Terms::List(terms) => terms.join(","),
    }))
}

fn level<'d, D: Deserializer<'d>>(written: D) -> Result<Option<Confidence>, D::Error> {
    Ok(Some(match Level::deserialize(written)? {
        Level::High => Confidence::High,
        Level::Medium => Confidence::Medium,
        Level::Low => Confidence::Low,
    }))
}

/// Reads the text; an error is a line and what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Written, (usize, String)> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = 1 + text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count();
        (line, error.message().lines().collect::<Vec<_>>().join(", "))
    })
}

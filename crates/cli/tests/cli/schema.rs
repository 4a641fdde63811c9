//! A validator for the parts of JSON Schema (draft 7) that the schema of SARIF uses.
//!
//! In: a schema and a document. Out: what is wrong with the document, each with its place. A keyword that it does not
//! know is an error of its own, so that nothing passes unchecked when the schema changes.

use serde_json::{Map, Value};

/// Everything that is wrong with a document.
pub(crate) fn violations(schema: &Value, document: &Value) -> Vec<String> {
    let mut validator = Validator { root: schema, violations: Vec::new() };
    validator.check(schema, document, "");
    validator.violations
}

struct Validator<'s> {
    root: &'s Value,
    violations: Vec<String>,
}

impl<'s> Validator<'s> {
    fn complain(&mut self, at: &str, what: impl AsRef<str>) {
        let at = if at.is_empty() { "/" } else { at };
        self.violations.push(format!("{at}: {}", what.as_ref()));
    }

    fn check(&mut self, schema: &'s Value, document: &Value, at: &str) {
        let Value::Object(keywords) = schema else {
            if *schema == Value::Bool(false) {
                self.complain(at, "nothing may stand here");
            }
            return;
        };
        for (keyword, argument) in keywords {
            self.keyword(keywords, keyword, argument, document, at);
        }
    }

    fn keyword(
        &mut self,
        keywords: &'s Map<String, Value>,
        keyword: &str,
        argument: &'s Value,
        document: &Value,
        at: &str,
    ) {
        match keyword {
            "description" | "default" | "title" | "$schema" | "$id" | "definitions" => {}
            "$ref" => {
                let name = argument.as_str().expect("a reference is text");
                let target = name.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
                self.check(target.unwrap_or_else(|| panic!("no such definition: {name}")), document, at);
            }
            "type" => {
                let wanted = argument.as_str().expect("one type");
                let right = match wanted {
                    "object" => document.is_object(),
                    "array" => document.is_array(),
                    "string" => document.is_string(),
                    "boolean" => document.is_boolean(),
                    "integer" => document.is_i64() || document.is_u64(),
                    "number" => document.is_number(),
                    other => panic!("unknown type {other}"),
                };
                if !right {
                    self.complain(at, format!("is no {wanted}"));
                }
            }
            "enum" => {
                if !argument.as_array().expect("a list").contains(document) {
                    self.complain(at, format!("{document} is not one of the words"));
                }
            }
            "minimum" | "maximum" => {
                let (limit, value) = (argument.as_f64().expect("a number"), document.as_f64());
                let outside = |value: f64| if keyword == "minimum" { value < limit } else { value > limit };
                if value.is_some_and(outside) {
                    self.complain(at, format!("{document} is beyond the {keyword} {limit}"));
                }
            }
            "pattern" => {
                if let Some(text) = document.as_str()
                    && !matches(argument.as_str().expect("a pattern"), text)
                {
                    self.complain(at, format!("{text} does not match {argument}"));
                }
            }
            "format" => {
                if let Some(text) = document.as_str()
                    && text
                        .contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"{}|\\^`".contains(c))
                {
                    self.complain(at, format!("{text:?} is no {argument}"));
                }
            }
            "anyOf" | "oneOf" => {
                let mut right = 0;
                for choice in argument.as_array().expect("a list") {
                    let mut inner = Validator { root: self.root, violations: Vec::new() };
                    inner.check(choice, document, at);
                    right += usize::from(inner.violations.is_empty());
                }
                if right == 0 || (keyword == "oneOf" && right > 1) {
                    self.complain(at, format!("{right} alternatives of {keyword} fit"));
                }
            }
            "items" | "uniqueItems" | "minItems" => self.list(keyword, argument, document, at),
            "properties" | "required" | "additionalProperties" => {
                self.members(keywords, keyword, argument, document, at);
            }
            other => panic!("the validator does not know the keyword {other}"),
        }
    }

    fn list(&mut self, keyword: &str, argument: &'s Value, document: &Value, at: &str) {
        let Some(items) = document.as_array() else { return };
        match keyword {
            "items" => {
                for (index, item) in items.iter().enumerate() {
                    self.check(argument, item, &format!("{at}/{index}"));
                }
            }
            "minItems" => {
                if (items.len() as u64) < argument.as_u64().expect("a number") {
                    self.complain(at, "has too few items");
                }
            }
            _ => {
                let twice = items.iter().enumerate().any(|(index, item)| items[..index].contains(item));
                if *argument == Value::Bool(true) && twice {
                    self.complain(at, "has an item twice");
                }
            }
        }
    }

    fn members(
        &mut self,
        keywords: &'s Map<String, Value>,
        keyword: &str,
        argument: &'s Value,
        document: &Value,
        at: &str,
    ) {
        let Some(members) = document.as_object() else { return };
        match keyword {
            "properties" => {
                for (name, schema) in argument.as_object().expect("an object") {
                    if let Some(member) = members.get(name) {
                        self.check(schema, member, &format!("{at}/{name}"));
                    }
                }
            }
            "required" => {
                for name in argument.as_array().expect("a list").iter().filter_map(Value::as_str) {
                    if !members.contains_key(name) {
                        self.complain(at, format!("has no {name}"));
                    }
                }
            }
            _ => {
                let known = keywords.get("properties").and_then(Value::as_object);
                for (name, member) in members {
                    if !known.is_some_and(|known| known.contains_key(name)) {
                        self.check(argument, member, &format!("{at}/{name}"));
                    }
                }
            }
        }
    }
}

/// The few patterns that our reports come across.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern {
        // A language tag.
        "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$" | "^[a-zA-Z]{2}|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$" => {
            text.len() >= 2 && text.bytes().take(2).all(|byte| byte.is_ascii_alphabetic())
        }
        // A version of four numbers.
        "[0-9]+(\\.[0-9]+){3}" => text.split('.').count() >= 4,
        other => panic!("the validator does not know the pattern {other}"),
    }
}

#[test]
fn the_validator_finds_what_is_wrong() {
    let schema = serde_json::json!({
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": {
            "a": { "type": "array", "minItems": 1, "uniqueItems": true, "items": { "$ref": "#/definitions/n" } },
            "b": { "enum": ["x", "y"] },
            "c": { "anyOf": [{ "required": ["d"] }, { "required": ["e"] }] }
        },
        "definitions": { "n": { "type": "integer", "minimum": 0 } }
    });
    for (document, expected) in [
        (serde_json::json!({ "a": [1, 2], "b": "x", "c": { "d": 1 } }), ""),
        (serde_json::json!({ "b": "x" }), "/: has no a"),
        (serde_json::json!({ "a": [] }), "/a: has too few items"),
        (serde_json::json!({ "a": [1, 1] }), "/a: has an item twice"),
        (serde_json::json!({ "a": [-1] }), "/a/0: -1 is beyond the minimum 0"),
        (serde_json::json!({ "a": ["1"] }), "/a/0: is no integer"),
        (serde_json::json!({ "a": [1], "b": "z" }), "/b: \"z\" is not one of the words"),
        (serde_json::json!({ "a": [1], "c": {} }), "/c: 0 alternatives of anyOf fit"),
        (serde_json::json!({ "a": [1], "z": 1 }), "/z: nothing may stand here"),
        (serde_json::json!([]), "/: is no object"),
    ] {
        assert_eq!(violations(&schema, &document).join("; "), expected, "{document}");
    }
}

//! Text in XML.
//!
//! Everything from a program goes through [`text`]: first it becomes one harmless line ([`one_line`]), which also takes
//! away the characters that XML 1.0 cannot hold at all, then the marks of the language are escaped. The result can stand
//! in an attribute and in content.

use crate::escape::one_line;

/// The first line of every document.
pub(crate) const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

/// Text that can stand in an attribute value or in content.
pub(crate) fn text(plain: &str) -> String {
    let line = one_line(plain);
    if !line.contains(['&', '<', '>', '"', '\'', '\u{FFFE}', '\u{FFFF}']) {
        return line.into_owned();
    }
    let mut out = String::with_capacity(plain.len() + 8);
    for c in line.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // The two code points that are characters for Rust and not for XML.
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// A strict little reader for tests: it knows what our writers may use, and fails on everything else.
#[cfg(test)]
pub(crate) mod reader {
    /// An element with its attributes and children, and the text directly inside it.
    #[derive(Debug, Default, PartialEq, Eq)]
    pub(crate) struct Element {
        pub(crate) name: String,
        pub(crate) attributes: Vec<(String, String)>,
        pub(crate) children: Vec<Element>,
        pub(crate) text: String,
    }

    impl Element {
        pub(crate) fn attribute(&self, name: &str) -> &str {
            let found = self.attributes.iter().find(|(known, _)| known == name);
            found.map_or_else(|| panic!("{} has no {name}", self.name), |(_, value)| value)
        }

        /// Fails on an attribute that is not listed, and on a missing one that is marked with `!`.
        pub(crate) fn allow(&self, attributes: &[&str]) {
            for (name, _) in &self.attributes {
                assert!(attributes.iter().any(|a| a.trim_end_matches('!') == name), "{}: {name}", self.name);
            }
            for required in attributes.iter().filter_map(|a| a.strip_suffix('!')) {
                self.attribute(required);
            }
        }
    }

    /// Reads a document; panics where it is not well-formed.
    pub(crate) fn read(document: &str) -> Element {
        let illegal = |c: char| {
            (c.is_control() && !matches!(c, '\n' | '\r' | '\t')) || matches!(c, '\u{FFFE}' | '\u{FFFF}')
        };
        assert!(!document.contains(illegal), "a character that XML cannot hold");
        let rest = document.strip_prefix(super::DECLARATION).expect("a declaration").trim_start();
        let (element, rest) = element(rest);
        assert_eq!(rest.trim(), "", "text after the root element");
        element
    }

    fn element(text: &str) -> (Element, &str) {
        let rest = text.strip_prefix('<').expect("an element");
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).expect("the end of a name");
        let mut element = Element { name: rest[..end].to_owned(), ..Element::default() };
        assert!(!element.name.is_empty(), "an element without a name: {}", &text[..text.len().min(40)]);
        let mut rest = rest[end..].trim_start();
        loop {
            if let Some(after) = rest.strip_prefix("/>") {
                return (element, after);
            }
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break;
            }
            let (name, after) = rest.split_once("=\"").expect("an attribute");
            assert!(name.chars().all(|c| c.is_ascii_alphabetic()), "{name}");
            let (value, after) = after.split_once('"').expect("the end of a value");
            assert!(!element.attributes.iter().any(|(known, _)| known == name), "{name} twice");
            element.attributes.push((name.to_owned(), unescape(value)));
            rest = after.trim_start();
        }
        loop {
            let next = rest.find('<').expect("an end tag");
            element.text.push_str(&unescape(&rest[..next]));
            rest = &rest[next..];
            if let Some(after) = rest.strip_prefix("</") {
                let after = after.strip_prefix(&*element.name).expect("the same name");
                return (element, after.strip_prefix('>').expect("the end of the tag"));
            }
            let (child, after) = self::element(rest);
            element.children.push(child);
            rest = after;
        }
    }

    fn unescape(text: &str) -> String {
        assert!(!text.contains('<') && !text.contains("]]>"), "{text}");
        let mut parts = text.split('&');
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, after) = part.split_once(';').expect("the end of an entity");
            out.push(match name {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                "apos" => '\'',
                other => panic!("unknown entity {other}"),
            });
            out.push_str(after);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_and_impossible_characters_are_escaped() {
        assert_eq!(text("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&apos;");
        assert_eq!(text("]]>\u{0}\u{b}\n\u{fffe}"), "]]&gt;\\x00\\x0b\\n\u{fffd}");
    }

    proptest! {
        #[test]
        fn whatever_goes_in_can_be_read_back(plain in any::<String>()) {
            let document = format!("{DECLARATION}\n<a b=\"{}\">{}</a>\n", text(&plain), text(&plain));
            let read = reader::read(&document);
            let shown = one_line(&plain).replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}");
            prop_assert_eq!(read.attribute("b"), &*shown);
            prop_assert_eq!(&*read.text, &*shown);
        }
    }
}

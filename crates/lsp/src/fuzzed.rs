//! The parsers of this crate for the fuzz targets. Not part of a normal build.

use std::io::BufReader;
use std::path::Path;
use std::str::FromStr;

use lsp_server::Message;
use lsp_types::{Position, Uri};

use crate::{documents, uri, wire};

/// What an editor sends: every message is read or refused, and reading comes to an end.
pub fn session(bytes: &[u8]) {
    let mut refused = 0;
    let mut refuse = |why: serde_json::Value| {
        assert!(why["error"]["code"].is_i64(), "{why} is no answer");
        refused += 1;
        Ok(())
    };
    let mut input = BufReader::with_capacity(61, bytes);
    while let Ok(Some(message)) = wire::next(&mut input, &mut refuse) {
        let parameters = match message {
            Message::Request(request) => request.params,
            Message::Notification(notification) => notification.params,
            Message::Response(_) => continue,
        };
        visit(&parameters);
    }
    assert!(refused <= bytes.len() + 1, "more was refused than was sent");
}

/// Whatever looks like an address or a text of a document goes where those go.
fn visit(parameters: &serde_json::Value) {
    let document = &parameters["textDocument"];
    if let Some(path) =
        document["uri"].as_str().and_then(|text| Uri::from_str(text).ok()).as_ref().and_then(uri::path)
        && path.is_absolute()
        && let Some(address) = uri::uri(&path)
    {
        assert_eq!(uri::path(&address).as_deref(), Some(Path::new(&path)), "a path changes on its way");
    }
    let text = document["text"].as_str();
    let number =
        |name: &str| parameters["position"][name].as_u64().and_then(|number| u32::try_from(number).ok());
    let (line, column) = (number("line").unwrap_or(0), number("character").unwrap_or(0));
    let _ = documents::word(text.unwrap_or_default(), Position::new(line, column));
    let range = documents::range(text, line, column);
    assert!(range.start <= range.end, "a range ends before it begins");
}

//! The records that an observed build leaves behind, read back.
//!
//! The format is described in `interposer.c`, which writes it: netstrings, one record per line end. Shims write a
//! simpler one: the directory and the arguments, each ended by a zero byte. Both are read with care, because a full
//! disk or a killed process can cut a record anywhere; a damaged one is counted and left out.

use std::path::PathBuf;

/// Who wrote a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The process itself, as it started.
    Started,
    /// The process that asked for it to be started.
    Asked,
    /// A shim in front of the compiler.
    Shim,
}

/// One process of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) kind: Kind,
    /// Of the process that wrote the record: thread number, seconds, nanoseconds, in hexadecimal.
    pub(crate) identity: String,
    /// The identity of the process it was started from.
    pub(crate) parent: String,
    /// The file that runs, or that was asked for.
    pub(crate) program: String,
    pub(crate) directory: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    /// Response files among the arguments, with their text.
    pub(crate) responses: Vec<(String, String)>,
    /// An argument was not UTF-8, so the arguments are only good for a message.
    pub(crate) lossy: bool,
}

impl Record {
    /// When the process started, as text that sorts in time.
    pub(crate) fn time(&self) -> &str {
        self.identity.get(8..).unwrap_or_default()
    }
}

/// Reads a log. Gives the records and the number of damaged stretches.
pub(crate) fn parse_log(bytes: &[u8]) -> (Vec<Record>, usize) {
    let mut records = Vec::new();
    let mut damaged = 0;
    let mut rest = bytes;
    while !rest.is_empty() {
        let mut reader = Reader { rest };
        match reader.record() {
            Some(record) => {
                records.push(record);
                rest = reader.rest;
            }
            None => {
                damaged += 1;
                // The next record begins after a line end, with its kind.
                let next = rest.windows(3).position(|window| window == b"\n7:" || window == b"\n5:");
                rest = next.map_or(&[], |at| &rest[at + 1..]);
            }
        }
    }
    (records, damaged)
}

/// Reads what a shim wrote.
pub(crate) fn parse_shim(bytes: &[u8]) -> Option<Record> {
    let bytes = bytes.strip_suffix(b"\0")?;
    let mut lossy = false;
    let mut words = bytes.split(|byte| *byte == 0).map(|word| text(word, &mut lossy)).collect::<Vec<_>>();
    if words.len() < 2 {
        return None;
    }
    let directory = PathBuf::from(words.remove(0));
    Some(Record {
        kind: Kind::Shim,
        identity: String::new(),
        parent: String::new(),
        program: words[0].clone(),
        directory,
        arguments: words,
        environment: Vec::new(),
        responses: Vec::new(),
        lossy,
    })
}

fn text(bytes: &[u8], lossy: &mut bool) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => {
            *lossy = true;
            String::from_utf8_lossy(bytes).into_owned()
        }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// One netstring.
    fn field(&mut self) -> Option<&'a [u8]> {
        let colon = self.rest.iter().take(20).position(|byte| *byte == b':')?;
        let length: usize = std::str::from_utf8(&self.rest[..colon]).ok()?.parse().ok()?;
        let end = colon.checked_add(1)?.checked_add(length)?;
        let field = self.rest.get(colon + 1..end)?;
        self.rest = self.rest.get(end..)?.strip_prefix(b",")?;
        Some(field)
    }

    fn number(&mut self) -> Option<usize> {
        std::str::from_utf8(self.field()?).ok()?.parse().ok()
    }

    /// A number of texts, preceded by that number.
    fn list(&mut self, lossy: &mut bool) -> Option<Vec<String>> {
        let count = self.number()?;
        (0..count).map(|_| Some(text(self.field()?, lossy))).collect()
    }

    fn record(&mut self) -> Option<Record> {
        let kind = match self.field()? {
            b"started" => Kind::Started,
            b"asked" => Kind::Asked,
            _ => return None,
        };
        let mut lossy = false;
        let mut odd = false;
        let identity = text(self.field()?, &mut odd);
        let parent = text(self.field()?, &mut odd);
        let program = text(self.field()?, &mut odd);
        let directory = PathBuf::from(text(self.field()?, &mut lossy));
        let arguments = self.list(&mut lossy)?;
        let environment = self
            .list(&mut odd)?
            .into_iter()
            .filter_map(|entry| {
                entry.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
            })
            .collect();
        let files = self.number()?;
        let responses = (0..files)
            .map(|_| Some((text(self.field()?, &mut odd), text(self.field()?, &mut odd))))
            .collect::<Option<_>>()?;
        self.rest = self.rest.strip_prefix(b"\n")?;
        if arguments.is_empty() {
            return None;
        }
        Some(Record { kind, identity, parent, program, directory, arguments, environment, responses, lossy })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn net(text: &str) -> String {
        format!("{}:{text},", text.len())
    }

    fn line(kind: &str, arguments: &[&str]) -> String {
        let mut line: String = [kind, "00000001aaaa", "parent", "/usr/bin/gcc", "/w"].map(net).concat();
        line += &net(&arguments.len().to_string());
        line.extend(arguments.iter().map(|argument| net(argument)));
        line += &(net("1") + &net("CPATH=/x:/y"));
        line += &(net("1") + &net("r.rsp") + &net("-DX\n"));
        line + "\n"
    }

    #[test]
    fn records_are_read_back() {
        let log = line("started", &["gcc", "-DX=\n7:", "a.c"]) + &line("asked", &["cc", ""]);
        let (records, damaged) = parse_log(log.as_bytes());
        assert_eq!((records.len(), damaged), (2, 0));
        let first = &records[0];
        assert_eq!((first.kind, first.time(), first.parent.as_str()), (Kind::Started, "aaaa", "parent"));
        assert_eq!(first.arguments, ["gcc", "-DX=\n7:", "a.c"]);
        assert_eq!(first.environment, [("CPATH".to_owned(), "/x:/y".to_owned())]);
        assert_eq!(first.responses, [("r.rsp".to_owned(), "-DX\n".to_owned())]);
        assert_eq!((records[1].kind, records[1].arguments.len()), (Kind::Asked, 2));
    }

    #[test]
    fn damage_costs_only_the_damaged_record() {
        let good = line("started", &["gcc", "a.c"]);
        for cut in [1, 10, good.len() / 2, good.len() - 2] {
            let (records, damaged) = parse_log(format!("{good}{}\n{good}", &good[..cut]).as_bytes());
            assert_eq!((records.len(), damaged), (2, 1), "cut at {cut}");
            let (records, damaged) = parse_log(format!("{good}{}", &good[..cut]).as_bytes());
            assert_eq!((records.len(), damaged), (1, 1), "cut at {cut}");
        }
    }

    #[test]
    fn arguments_that_are_not_text() {
        let mut log = line("started", &["gcc", "-DX=?"]).into_bytes();
        let at = log.iter().position(|byte| *byte == b'?').unwrap();
        log[at] = 0xff;
        assert!(parse_log(&log).0[0].lossy);
    }

    #[test]
    fn shims() {
        let record = parse_shim(b"/w\0/usr/bin/gcc\0-c\0\0a b.c\0").unwrap();
        assert_eq!(record.directory, PathBuf::from("/w"));
        assert_eq!(record.arguments, ["/usr/bin/gcc", "-c", "", "a b.c"]);
        assert_eq!(parse_shim(b"/w\0gcc"), None);
        assert_eq!(parse_shim(b"/w\0"), None);
        assert_eq!(parse_shim(b""), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let (records, damaged) = parse_log(&bytes);
            prop_assert!(bytes.is_empty() || records.len() + damaged > 0);
            parse_shim(&bytes);
        }
    }
}

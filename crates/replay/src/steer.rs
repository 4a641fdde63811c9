//! Texts that are to compare as a witness says.
//!
//! The functions of the library on texts are run exactly; what a witness can say of them is what they gave. Where a text is
//! the caller's and nobody has decided it yet, it is decided so that the function gives that. Without a witness, chance says
//! whether a text is the one that it is compared with. What was decided before stays: a text cannot equal two constants.

use crate::around::Around;
use crate::limits::LONGEST_TEXT;
use watertight_interpret::{Address, Hands, Outside, Reply};
use watertight_summary::Got;

impl Around<'_> {
    /// Decides texts before a function looks at them. An answer where nothing has to be decided for it.
    pub(crate) fn steer(
        &mut self,
        hands: &mut Hands<'_, '_>,
        name: &str,
        call: &Outside<'_>,
        wish: Option<Got>,
    ) -> Option<Reply> {
        let arg = |index: usize| Address(call.args.get(index).copied().unwrap_or(0));
        match name {
            "strcmp" | "strcoll" | "strncmp" | "strcasecmp" | "strncasecmp" | "memcmp" | "bcmp" => {
                let limit = match name {
                    "strncmp" | "strncasecmp" | "memcmp" | "bcmp" => call.args.get(2).copied(),
                    _ => None,
                };
                for (open, other) in [(arg(0), arg(1)), (arg(1), arg(0))] {
                    let Some(mut text) = text_at(hands, other) else { continue };
                    // A comparison of so many bytes says nothing of those behind them.
                    match limit {
                        Some(0) => return None,
                        Some(limit) if limit <= text.len() as u64 => text.truncate(limit as usize),
                        _ => text.push(0),
                    }
                    if is_open(hands, open) {
                        return self.compare(hands, open, text, wish);
                    }
                    if wish == Some(Got::Number(0)) && self.wished_texts.contains(&open.0) {
                        let same = |held: u8, byte: u8| match name {
                            "strcasecmp" | "strncasecmp" => held.eq_ignore_ascii_case(&byte),
                            _ => held == byte,
                        };
                        self.contradicted |= !self.goes_on_as(hands, open, &text, &same);
                    }
                }
            }
            "strchr" | "strrchr" | "index" | "rindex" | "strchrnul" if is_open(hands, arg(0)) => {
                let byte = arg(1).0 as u8;
                let found = match wish {
                    Some(Got::Number(number)) => number != 0,
                    Some(Got::Address) => true,
                    None => self.chance.seldom(2),
                };
                if found && byte != 0 {
                    self.excluded.remove(&arg(0).0);
                    self.put_text(hands, arg(0), &[b'a', byte, b'b']);
                }
            }
            "strstr" | "strcasestr" | "strpbrk" if is_open(hands, arg(0)) => {
                let found = match wish {
                    Some(Got::Number(number)) => number != 0,
                    Some(Got::Address) => true,
                    None => self.chance.seldom(2),
                };
                if found && let Some(text) = text_at(hands, arg(1)) {
                    self.put_text(hands, arg(0), &text);
                }
            }
            // How large an object of the caller's is, the caller knows.
            "malloc_usable_size" if hands.given_at(arg(0)).is_some() => {
                let word = match wish {
                    Some(Got::Number(size)) => size,
                    _ => self.chance.number(8, |_| 64),
                };
                return Some(Reply::Returns { word, calls: Vec::new() });
            }
            "strlen" if is_open(hands, arg(0)) => {
                if let Some(Got::Number(length)) = wish
                    && length <= LONGEST_TEXT
                {
                    self.put_text(hands, arg(0), &vec![b'a'; length as usize]);
                }
            }
            "atoi" | "atol" | "atoll" | "strtol" | "strtoul" | "strtoll" | "strtoull"
                if is_open(hands, arg(0)) =>
            {
                let number = match wish {
                    Some(Got::Number(number)) => number,
                    _ => self.number(hands, 4, 0),
                };
                let number = if name == "atoi" { i64::from(number as i32) } else { number as i64 };
                self.put_text(hands, arg(0), number.to_string().as_bytes());
            }
            _ => {}
        }
        None
    }

    /// Whether a text that nobody has decided equals another. If it does, it is decided; if not, it stays open, and is
    /// known not to be that one.
    fn compare(
        &mut self,
        hands: &mut Hands<'_, '_>,
        open: Address,
        text: Vec<u8>,
        wish: Option<Got>,
    ) -> Option<Reply> {
        let excluded = self
            .excluded
            .get(&open.0)
            .is_some_and(|others| others.iter().any(|other| text.starts_with(other)));
        let (equal, sign) = match wish {
            Some(Got::Number(number)) => (number as u32 == 0, number),
            _ => (self.chance.seldom(2), if self.chance.often(128) { 1 } else { u64::MAX }),
        };
        if equal && !excluded {
            if wish.is_some() {
                self.wished_texts.insert(open.0);
            }
            self.put_bytes(hands, open, &text);
            return None;
        }
        if equal {
            self.contradicted = true;
        } else {
            self.excluded.entry(open.0).or_default().push(text);
        }
        Some(Reply::Returns { word: if equal { 1 } else { sign }, calls: Vec::new() })
    }

    /// Whether what is decided of a text is as in another. What is open behind it is then decided so too: who begins with
    /// "RI" may go on as "RIFF".
    fn goes_on_as(
        &mut self,
        hands: &mut Hands<'_, '_>,
        open: Address,
        text: &[u8],
        same: &dyn Fn(u8, u8) -> bool,
    ) -> bool {
        let room = hands.room(open).min(text.len() as u64);
        let Some((contents, decided)) = hands.peek(open, room) else { return true };
        let known = decided.iter().take_while(|&&decided| decided != 0).count();
        if !contents.iter().zip(text).take(known).all(|(&held, &byte)| same(held, byte)) {
            return false;
        }
        if known < text.len() && !contents[..known].contains(&0) {
            self.put_bytes(hands, Address(open.0 + known as u64), &text[known..]);
        }
        true
    }

    /// Decides bytes of a text that nobody has decided.
    fn put_bytes(&mut self, hands: &mut Hands<'_, '_>, address: Address, bytes: &[u8]) {
        if let Some((0, text)) = bytes.split_last() {
            self.put_text(hands, address, text);
            return;
        }
        let room = hands.room(address).min(bytes.len() as u64);
        let Some((_, decided)) = hands.peek(address, room) else { return };
        let free = decided.iter().take_while(|&&decided| decided == 0).count();
        hands.put(address, &bytes[..free]);
    }
}

/// Whether nobody has decided what the text at an address begins with.
fn is_open(hands: &Hands<'_, '_>, address: Address) -> bool {
    hands.peek(address, 1).is_some_and(|(_, decided)| decided[0] == 0)
}

/// A text that is wholly decided.
fn text_at(hands: &Hands<'_, '_>, address: Address) -> Option<Vec<u8>> {
    let room = hands.room(address).min(LONGEST_TEXT);
    let (contents, decided) = hands.peek(address, room)?;
    let end = contents.iter().position(|&byte| byte == 0)?;
    decided[..=end].iter().all(|&decided| decided != 0).then(|| contents[..end].to_vec())
}

//! Tables of limits: the form in which an engine lists every number that says how far it goes.
//!
//! A limit trades truth for time: alternatives kept apart, steps spent, links followed. Each engine has one table of them,
//! `limits.rs`, and none elsewhere, which `cargo xtask tidy` checks. [`limits!`](crate::limits!) makes of each line a constant, checked to be in its
//! range when it is compiled, and of all lines a list from which `docs/limits.md` is made.

/// One limit.
#[derive(Copy, Clone, Debug)]
pub struct Limit {
    /// Which of the engine's concerns it belongs to.
    pub group: &'static str,
    pub name: &'static str,
    pub default: u64,
    /// The least and the greatest value that make sense.
    pub range: (u64, u64),
    /// What is limited.
    pub what: &'static str,
    /// What a greater value brings, and what it costs.
    pub more: &'static str,
}

/// A table of limits: `"group" { /// What is limited. NAME: type = default, least..=greatest, "what more of it brings"; }`.
#[macro_export]
macro_rules! limits {
    ($($group:literal {
        $($(#[doc = $what:literal])+ $name:ident: $ty:ty = $default:literal, $least:literal..=$greatest:literal, $more:literal;)+
    })+) => {
        $($(
            $(#[doc = $what])+
            pub(crate) const $name: $ty = $default;
            const _: () = assert!($least <= $name && $name <= $greatest, "a default lies in its range");
        )+)+

        /// All limits, in the order of the table.
        pub const TABLE: &[$crate::limits::Limit] = &[$($(
            $crate::limits::Limit {
                group: $group,
                name: stringify!($name),
                default: $default,
                range: ($least, $greatest),
                what: concat!($($what),+),
                more: $more,
            },
        )+)+];
    };
}

/// A table as Markdown, one section for each group.
#[must_use]
pub fn page(table: &[Limit]) -> String {
    let mut page = String::new();
    let mut group = "";
    for limit in table {
        if limit.group != group {
            group = limit.group;
            page += &format!(
                "\n### {group}\n\n| Name | Default | Range | Limits | More of it |\n| --- | --- | --- | --- | --- |\n"
            );
        }
        let Limit { name, default, range: (least, greatest), what, more, .. } = limit;
        page += &format!(
            "| `{name}` | {} | {} to {} | {} | {more} |\n",
            grouped(*default),
            grouped(*least),
            grouped(*greatest),
            what.trim(),
        );
    }
    page
}

/// A number as people write it: 20,000.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::page;

    #[allow(unreachable_pub, reason = "a table is public in the crate that has it")]
    mod table {
        crate::limits! {
            "Loops" {
                /// Iterations of a loop.
                TURNS: u32 = 4, 1..=64, "longer loops are followed";
                /// Nodes.
                NODES: usize = 20_000, 1..=1_000_000, "larger guards";
            }
        }
    }

    #[test]
    fn a_table_is_constants_and_a_page() {
        assert_eq!((table::TURNS, table::NODES), (4, 20_000));
        let expected = "\n### Loops\n\n| Name | Default | Range | Limits | More of it |\n| --- | --- | --- | --- | --- |\n\
            | `TURNS` | 4 | 1 to 64 | Iterations of a loop. | longer loops are followed |\n\
            | `NODES` | 20,000 | 1 to 1,000,000 | Nodes. | larger guards |\n";
        assert_eq!(page(table::TABLE), expected);
    }
}

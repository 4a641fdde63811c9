//! Small C programs that are edited at random: two files, functions that make, drop and use memory, globals, function
//! pointers, a table, recursion.

use std::fmt::Write;

/// Random numbers that are the same on every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// What functions of a kind have in common: a signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Make,
    Drop,
    Use,
    Top,
}

#[derive(Clone, Debug)]
struct Function {
    name: String,
    kind: Kind,
    /// Which of the bodies of its kind.
    shape: usize,
    /// Functions it calls, as numbers among those of a kind, and a constant.
    others: [usize; 3],
    constant: usize,
    file: usize,
    /// Empty lines before it and inside it.
    blank: usize,
    gap: usize,
}

/// A program that can be edited.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    functions: Vec<Function>,
    /// What the globals begin with.
    limit: usize,
    hook: Option<usize>,
    table: [usize; 2],
    /// Whether a struct has one more member in front.
    wide: bool,
    blank: [usize; 2],
    next: usize,
}

const SHAPES: [(Kind, usize); 4] = [(Kind::Make, 9), (Kind::Drop, 6), (Kind::Use, 5), (Kind::Top, 6)];

impl Source {
    pub(crate) fn new(dice: &mut Dice) -> Source {
        let mut source = Source {
            functions: Vec::new(),
            limit: 0,
            hook: None,
            table: [0, 1],
            wide: false,
            blank: [0, 0],
            next: 0,
        };
        for kind in [Kind::Make, Kind::Make, Kind::Make, Kind::Drop, Kind::Drop, Kind::Use, Kind::Use] {
            source.add(kind, dice);
        }
        for _ in 0..4 {
            source.add(Kind::Top, dice);
        }
        source
    }

    fn add(&mut self, kind: Kind, dice: &mut Dice) {
        let name = format!("{}_{}", format!("{kind:?}").to_lowercase(), self.next);
        self.next += 1;
        let shapes = SHAPES.iter().find(|entry| entry.0 == kind).map_or(1, |entry| entry.1);
        self.functions.push(Function {
            name,
            kind,
            shape: dice.roll(shapes),
            others: [dice.roll(16), dice.roll(16), dice.roll(16)],
            constant: dice.roll(9),
            file: dice.roll(2),
            blank: 0,
            gap: 0,
        });
    }

    /// Changes something. Gives a word for it.
    pub(crate) fn edit(&mut self, dice: &mut Dice) -> &'static str {
        let count = self.functions.len();
        let index = dice.roll(count);
        match dice.roll(16) {
            0..=2 => {
                let kind = self.functions[index].kind;
                let shapes = SHAPES.iter().find(|entry| entry.0 == kind).map_or(1, |entry| entry.1);
                self.functions[index].shape = dice.roll(shapes);
                "another body"
            }
            3 => {
                self.functions[index].others[dice.roll(3)] = dice.roll(16);
                "another callee"
            }
            4 | 5 => {
                self.functions[index].constant = dice.roll(9);
                "another constant"
            }
            6 => {
                self.functions[index].blank = dice.roll(4);
                "empty lines before a function"
            }
            7 => {
                self.functions[index].gap = dice.roll(4);
                "empty lines in a function"
            }
            8 => {
                self.blank[dice.roll(2)] = dice.roll(5);
                "empty lines at the top"
            }
            9 => {
                self.functions[index].name = format!("renamed_{}", self.next);
                self.next += 1;
                "another name"
            }
            10 => {
                let kind = SHAPES[dice.roll(4)].0;
                self.add(kind, dice);
                "a new function"
            }
            11 => {
                self.functions.swap(index, (index + 1) % count);
                "another order"
            }
            12 => {
                self.limit = dice.roll(3);
                "another initial value"
            }
            13 => {
                self.hook = Some(dice.roll(8)).filter(|&hook| hook < 6);
                "another function pointer"
            }
            14 => {
                self.table[dice.roll(2)] = dice.roll(8);
                "another table"
            }
            _ => match dice.roll(3) {
                0 => {
                    self.wide = !self.wide;
                    "another struct"
                }
                1 => {
                    self.functions[index].file = dice.roll(2);
                    "another file"
                }
                _ if count > 8 => {
                    self.functions.remove(index);
                    "a function less"
                }
                _ => "nothing",
            },
        }
    }

    /// The n-th function of a kind.
    fn named(&self, kind: Kind, number: usize) -> &str {
        let all: Vec<&Function> = self.functions.iter().filter(|function| function.kind == kind).collect();
        match all.len() {
            0 => match kind {
                Kind::Make => "no_make",
                Kind::Drop => "no_drop",
                Kind::Use => "no_use",
                Kind::Top => "no_top",
            },
            count => &all[number % count].name,
        }
    }

    /// The text of a file.
    pub(crate) fn text(&self, file: usize) -> String {
        let mut text = "\n".repeat(self.blank[file]);
        text.push_str("typedef unsigned long size_t;\nvoid *malloc(size_t);\nvoid free(void *);\nvoid unknown(void *);\n");
        let member = if self.wide { "int more; " } else { "" };
        let _ = writeln!(text, "struct box {{ {member}char *text; struct box *next; }};");
        text.push_str(
            "extern int limit; extern int count; extern char *saved;\nextern char *(*hook)(int);\n",
        );
        text.push_str("extern char *(*const table[2])(int);\n");
        text.push_str(
            "char *no_make(int); void no_drop(char *); int no_use(struct box *, int); int no_top(int);\n",
        );
        for function in &self.functions {
            let _ = writeln!(text, "{};", signature(function));
        }
        if file == 0 {
            let _ = writeln!(text, "int limit = {}; int count; char *saved;", self.limit);
            let hook = self.hook.map_or("0", |hook| self.named(Kind::Make, hook));
            let _ = writeln!(text, "char *(*hook)(int) = {hook};");
            let [first, second] = self.table.map(|entry| self.named(Kind::Make, entry));
            let _ = writeln!(text, "char *(*const table[2])(int) = {{ {first}, {second} }};");
        }
        for function in self.functions.iter().filter(|function| function.file == file) {
            text.push_str(&"\n".repeat(function.blank));
            let _ = writeln!(text, "{} {{", signature(function));
            text.push_str(&"\n".repeat(function.gap));
            text.push_str(&self.body(function));
            text.push_str("}\n");
        }
        text
    }

    fn body(&self, function: &Function) -> String {
        let make = |number: usize| self.named(Kind::Make, function.others[number]);
        let drop = |number: usize| self.named(Kind::Drop, function.others[number]);
        let using = |number: usize| self.named(Kind::Use, function.others[number]);
        let (name, k) = (&function.name, function.constant);
        match (function.kind, function.shape) {
            (Kind::Make, 0..=2) => "  return malloc(n);\n".to_owned(),
            (Kind::Make, 3) => format!("  if (n > {k})\n    return 0;\n  return {}(n);\n", make(0)),
            (Kind::Make, 4) => {
                format!("  char *p = {}(n);\n  if (!p)\n    return 0;\n  p[0] = {k};\n  return p;\n", make(0))
            }
            (Kind::Make, 5) => {
                format!("  char *p = {}(n);\n  if (n == {k})\n    return 0;\n  return p;\n", make(0))
            }
            (Kind::Make, 6) => "  return hook ? hook(n) : 0;\n".to_owned(),
            (Kind::Make, 7) => format!("  return table[{}](n);\n", k % 2),
            (Kind::Make, _) => format!(
                "  if (limit && n > limit)\n    return 0;\n  return n > {k} ? {name}(n - 1) : malloc(n);\n"
            ),
            (Kind::Drop, 0 | 1) => "  free(p);\n".to_owned(),
            (Kind::Drop, 2) => format!("  if (p)\n    {}(p);\n", drop(0)),
            (Kind::Drop, 3) => format!("  if (count > {k})\n    free(p);\n"),
            (Kind::Drop, 4) => "  saved = p;\n".to_owned(),
            (Kind::Drop, _) => format!("  count--;\n  {}(p);\n", drop(0)),
            (Kind::Use, 0) => format!("  b->text = {}(n);\n  return b->text != 0;\n", make(0)),
            (Kind::Use, 1) => {
                format!("  if (b->text)\n    {}(b->text);\n  b->text = 0;\n  return 0;\n", drop(0))
            }
            (Kind::Use, 2) => format!("  if ({}(b, n))\n    return {k};\n  return -1;\n", using(0)),
            (Kind::Use, 3) => format!("  b->next = (struct box *){}(n);\n  return {k};\n", make(0)),
            (Kind::Use, _) => format!("  hook = {};\n  unknown(b);\n  return n;\n", make(0)),
            (Kind::Top, 0 | 1) => {
                format!(
                    "  char *p = {}(n);\n  if (n == {k})\n    return 1;\n  {}(p);\n  return 0;\n",
                    make(0),
                    drop(1)
                )
            }
            (Kind::Top, 2) => format!(
                "  struct box b = {{ 0 }};\n  if ({}(&b, n))\n    return -1;\n  {}(b.text);\n  return 0;\n",
                using(0),
                drop(1)
            ),
            (Kind::Top, 3) => format!(
                "  char *p = {}(n);\n  char *q = {}(n);\n  if (!q)\n    return -1;\n  free(q);\n  {}(p);\n  return n;\n",
                make(0),
                make(1),
                drop(2)
            ),
            (Kind::Top, 4) => {
                format!("  for (int i = 0; i < n; i++)\n    saved = {}(i);\n  return {k};\n", make(0))
            }
            (Kind::Top, _) => {
                format!("  char *p = {}(n);\n  {}(p);\n  return p[0];\n", make(0), drop(1))
            }
        }
    }
}

fn signature(function: &Function) -> String {
    let name = &function.name;
    match function.kind {
        Kind::Make => format!("char *{name}(int n)"),
        Kind::Drop => format!("void {name}(char *p)"),
        Kind::Use => format!("int {name}(struct box *b, int n)"),
        Kind::Top => format!("int {name}(int n)"),
    }
}

//! Random small heap programs, for judging proofs by runs.
//!
//! In: a seed. Out: C text, one statement on a line, so that a line stands for a statement. Many programs share a file,
//! because starting a compiler costs more than compiling one; everything in a program carries its number. A program has
//! one or two globals, a few static functions of different shapes (results, out-parameters, recursion, early returns) and an
//! entry that is called from outside: with numbers only, or with pointers into an arbitrary heap.
//!
//! Random statements alone lose cells on almost every line, and a proof that is never tried is never wrong. So half of the
//! code are pieces that real routines are made of (push, pop, unlink, reverse, release all, append, rotate), from which now and
//! then a line is left out or written twice.

use crate::random::Random;
use std::fmt::Write as _;

/// What every file begins with.
pub(crate) const PRELUDE: &str = "#include \"stubs.h\"
struct node {
    int value;
    struct node *next;
    struct node *prev;
};
struct tree {
    int value;
    struct tree *left;
    struct tree *right;
    struct node *list;
};
struct bag {
    int count;
    struct node *items[];
};
union slot {
    struct node *node;
    unsigned long number;
    char letters[8];
};
struct pack {
    union slot slot;
    char text[8];
    struct node *one;
};
struct base {
    int kind;
};
struct derived {
    struct base base;
    struct node *held;
};
struct label {
    int kind;
    char letters[12];
};
struct row {
    int number;
    struct node *held;
};
struct two {
    struct node *a;
    struct node *b;
};
static struct two turned(struct two t) {
    struct two u = {NULL, NULL};
    u.a = t.b;
    u.b = t.a;
    return u;
}
static void wipe(void *at, unsigned long bytes) {
    unsigned char *byte = at;
    while (bytes-- > 0)
        *byte++ = 0;
}
static void put(char *at, void *what) {
    *(void **)at = what;
}
static void set(unsigned long *at, unsigned long number) {
    *at = number;
}
";

/// The text of a program, and the name of its entry.
pub(crate) fn program(seed: u64) -> (String, String) {
    let mut writer = Writer::new(seed);
    writer.program();
    (writer.text, format!("p{seed}_entry"))
}

/// The two types of cells.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Cell {
    Node,
    Tree,
}

impl Cell {
    fn name(self) -> &'static str {
        match self {
            Cell::Node => "struct node",
            Cell::Tree => "struct tree",
        }
    }

    /// Fields that refer to cells of the same type.
    fn links(self) -> &'static [&'static str] {
        match self {
            Cell::Node => &["next", "next", "prev"],
            Cell::Tree => &["left", "right"],
        }
    }
}

/// The shape of a helper.
#[derive(Copy, Clone)]
enum Shape {
    /// `struct node *h(struct node *a, struct node *b, int n)`
    Gives,
    /// `int h(struct node **out, struct node *a, int n)`
    Fills,
    /// `void h(struct node *a, int n)`
    Does,
}

#[derive(Clone)]
struct Helper {
    name: String,
    shape: Shape,
    cell: Cell,
}

/// A variable in scope.
#[derive(Clone)]
struct Variable {
    name: String,
    cell: Cell,
}

struct Writer {
    random: Random,
    text: String,
    prefix: String,
    helpers: Vec<Helper>,
    globals: Vec<Variable>,
    /// Of the function that is being written, without the globals.
    locals: Vec<Variable>,
    /// Whether it has a parameter `out`, and of what.
    out: Option<Cell>,
    /// What it returns.
    gives: Gives,
    depth: usize,
    loops: usize,
    /// The number of the next label or scratch variable.
    fresh: u32,
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Gives {
    Nothing,
    Number,
    Cell(Cell),
}

impl Writer {
    fn new(seed: u64) -> Writer {
        Writer {
            random: Random::new(seed.wrapping_mul(0x9e37_79b9)),
            text: String::new(),
            prefix: format!("p{seed}"),
            helpers: Vec::new(),
            globals: Vec::new(),
            locals: Vec::new(),
            out: None,
            gives: Gives::Nothing,
            depth: 0,
            loops: 0,
            fresh: 0,
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.depth * 4);
    }

    fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    fn cell(&mut self) -> Cell {
        if self.random.chance(2, 3) { Cell::Node } else { Cell::Tree }
    }

    fn program(&mut self) {
        for number in 0..self.random.below(3) {
            let cell = self.cell();
            let name = format!("{}_g{number}", self.prefix);
            let linkage = if self.random.chance(1, 2) { "static " } else { "" };
            self.line(&format!("{linkage}{} *{name};", cell.name()));
            self.globals.push(Variable { name, cell });
        }
        for number in 0..self.random.range(1, 3) {
            let shape = match self.random.below(3) {
                0 => Shape::Gives,
                1 => Shape::Fills,
                _ => Shape::Does,
            };
            let helper = Helper { name: format!("{}_h{number}", self.prefix), shape, cell: self.cell() };
            self.helper(&helper);
            self.helpers.push(helper);
        }
        self.entry();
    }

    fn helper(&mut self, helper: &Helper) {
        let cell = helper.cell.name();
        let name = &helper.name;
        let recursive = self.random.chance(1, 4);
        let (head, gives) = match helper.shape {
            Shape::Gives => {
                (format!("static {cell} *{name}({cell} *a, {cell} *b, int n)"), Gives::Cell(helper.cell))
            }
            Shape::Fills => (format!("static int {name}({cell} **out, {cell} *a, int n)"), Gives::Number),
            Shape::Does => (format!("static void {name}({cell} *a, int n)"), Gives::Nothing),
        };
        let mut params = vec!["a"];
        if matches!(helper.shape, Shape::Gives) {
            params.push("b");
        }
        self.locals =
            params.iter().map(|name| Variable { name: (*name).to_owned(), cell: helper.cell }).collect();
        self.out = matches!(helper.shape, Shape::Fills).then_some(helper.cell);
        self.gives = gives;
        self.open(&head);
        if recursive {
            self.open("if (n <= 0)");
            self.give_back();
            self.close();
            self.helpers.push(helper.clone());
        }
        self.body(Vec::new());
        if recursive {
            self.helpers.pop();
        }
        self.close();
    }

    fn entry(&mut self) {
        let open = self.random.chance(1, 3);
        self.locals.clear();
        self.out = None;
        self.gives = Gives::Nothing;
        let mut params = vec!["int n".to_owned(), "int m".to_owned()];
        if open {
            for name in ["a", "b"] {
                let cell = self.cell();
                params.push(format!("{} *{name}", cell.name()));
                self.locals.push(Variable { name: name.to_owned(), cell });
            }
        }
        if self.random.chance(1, 3) {
            self.gives = Gives::Cell(Cell::Node);
        }
        let result = if self.gives == Gives::Nothing { "void " } else { "struct node *" };
        self.open(&format!("{result}{}_entry({})", self.prefix, params.join(", ")));
        self.body(self.helpers.clone());
        self.close();
    }

    /// Locals, statements with these calls among them, and the result.
    fn body(&mut self, calls: Vec<Helper>) {
        for name in ["x", "y", "z"].iter().take(self.random.range(1, 3) as usize) {
            let cell = self.cell();
            let start = self.start(name, cell);
            self.line(&format!("{} *{name} = {start};", cell.name()));
            self.locals.push(Variable { name: (*name).to_owned(), cell });
        }
        self.line("int k = n;");
        for _ in 0..self.random.range(2, 5) {
            self.piece();
        }
        // The entry calls everything, so that everything runs.
        for helper in calls {
            self.piece();
            self.call(&helper);
        }
        self.release_some();
        self.give_back();
    }

    /// What a local holds first.
    fn start(&mut self, name: &str, cell: Cell) -> String {
        match (self.random.below(3), self.variable(cell)) {
            (0, Some(other)) => other,
            (1, _) => format!("calloc(1, sizeof *{name})"),
            _ => "NULL".to_owned(),
        }
    }

    /// Releases what some locals hold, as a careful programmer would.
    fn release_some(&mut self) {
        for variable in self.locals.clone() {
            if variable.name.len() == 1 && !"ab".contains(&variable.name) && self.random.chance(1, 2) {
                self.line(&format!("free({});", variable.name));
                self.line(&format!("{} = NULL;", variable.name));
            }
        }
    }

    fn give_back(&mut self) {
        match self.gives {
            Gives::Nothing => self.line("return;"),
            Gives::Number => self.line("return n;"),
            Gives::Cell(cell) => match self.variable(cell) {
                Some(name) if self.random.chance(5, 6) => self.line(&format!("return {name};")),
                _ => self.line("return NULL;"),
            },
        }
    }

    /// A variable of a type; a local rather than a global.
    fn variable(&mut self, cell: Cell) -> Option<String> {
        let pool = if self.random.chance(1, 6) { &self.globals } else { &self.locals };
        let fitting: Vec<&Variable> = pool.iter().filter(|variable| variable.cell == cell).collect();
        let choice = self.random.below(fitting.len() as u64) as usize;
        fitting.get(choice).map(|variable| variable.name.clone())
    }

    /// A local of a type that may be written.
    fn any(&mut self) -> (String, Cell) {
        let all: Vec<&Variable> = self.locals.iter().chain(&self.globals).collect();
        let variable = all[self.random.below(all.len() as u64) as usize];
        (variable.name.clone(), variable.cell)
    }

    /// A value of a type.
    fn value(&mut self, cell: Cell) -> String {
        match self.variable(cell) {
            Some(name) if self.random.chance(5, 6) => name,
            _ => "NULL".to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        let (name, cell) = self.any();
        match self.random.below(6) {
            0 => format!("{name} == NULL"),
            1 => format!("{name} != NULL"),
            2 => format!("{name} == {}", self.value(cell)),
            3 => format!("k > {}", self.random.below(3)),
            4 => format!("{name} != NULL && {name}->value == k"),
            _ => "k & 1".to_owned(),
        }
    }

    /// One piece of code: a statement, something around several, or a stretch of a routine.
    fn piece(&mut self) {
        match self.random.below(12) {
            0 if self.depth < 4 => {
                let condition = self.condition();
                self.open(&format!("if ({condition})"));
                for _ in 0..self.random.range(1, 3) {
                    self.piece();
                }
                if self.random.chance(1, 4) {
                    self.give_back();
                }
                self.close();
                if self.random.chance(1, 3) {
                    self.open("else");
                    self.piece();
                    self.close();
                }
            }
            1 if self.loops == 0 => {
                self.loops += 1;
                self.open("while (k-- > 0)");
                for _ in 0..self.random.range(1, 3) {
                    self.piece();
                }
                if self.random.chance(1, 4) {
                    let condition = self.condition();
                    self.line(&format!("if ({condition})"));
                    self.line("    break;");
                }
                self.close();
                self.loops -= 1;
            }
            2..=4 => self.stretch(),
            5 => self.odd_stretch(),
            _ => self.statement(),
        }
    }

    /// A statement under a test that keeps it from following a null pointer, most of the time.
    fn guarded(&mut self, name: &str, statement: &str) {
        if self.random.chance(9, 10) {
            self.line(&format!("if ({name} != NULL)"));
            self.line(&format!("    {statement}"));
        } else {
            self.line(statement);
        }
    }

    fn link(&mut self, cell: Cell) -> &'static str {
        let links = cell.links();
        links[self.random.below(links.len() as u64) as usize]
    }

    fn statement(&mut self) {
        let (name, cell) = self.any();
        let link = self.link(cell);
        match self.random.below(14) {
            0 | 1 => {
                let value = self.value(cell);
                self.line(&format!("{name} = {value};"));
            }
            2 => {
                let call = if self.random.chance(1, 2) { "calloc(1, " } else { "malloc(" };
                self.line(&format!("{name} = {call}sizeof *{name});"));
            }
            3 | 4 => {
                if let Some(other) = self.variable(cell) {
                    self.guarded(&other, &format!("{name} = {other}->{link};"));
                }
            }
            5 | 6 => {
                let value = self.value(cell);
                self.guarded(&name, &format!("{name}->{link} = {value};"));
            }
            7 => {
                self.line(&format!("free({name});"));
                if self.random.chance(4, 5) {
                    self.line(&format!("{name} = NULL;"));
                }
            }
            8 | 9 => {
                if !self.helpers.is_empty() {
                    let helper = self.random.below(self.helpers.len() as u64) as usize;
                    self.call(&self.helpers[helper].clone());
                }
            }
            10 => self.through_pointer(&name, cell),
            11 => {
                if let Some(cell) = self.out {
                    let value = self.value(cell);
                    self.line(&format!("*out = {value};"));
                }
            }
            12 if cell == Cell::Tree => {
                let value = self.value(Cell::Node);
                self.guarded(&name, &format!("{name}->list = {value};"));
            }
            _ => {
                if let Some(other) = self.variable(cell) {
                    let test = format!("{name} != NULL && {other} != NULL");
                    self.line(&format!("if ({test})"));
                    self.line(&format!("    *{name} = *{other};"));
                }
            }
        }
    }

    fn call(&mut self, helper: &Helper) {
        let argument = self.value(helper.cell);
        match helper.shape {
            Shape::Gives => {
                let second = self.value(helper.cell);
                let target = match self.variable(helper.cell) {
                    Some(name) if self.random.chance(9, 10) => format!("{name} = "),
                    _ => String::new(),
                };
                self.line(&format!("{target}{}({argument}, {second}, n - 1);", helper.name));
            }
            Shape::Fills => {
                let Some(target) = self.variable(helper.cell) else { return };
                self.line(&format!("k = {}(&{target}, {argument}, n - 1);", helper.name));
            }
            Shape::Does => self.line(&format!("{}({argument}, n - 1);", helper.name)),
        }
    }

    /// A write through the address of a variable or of a field.
    fn through_pointer(&mut self, name: &str, cell: Cell) {
        self.fresh += 1;
        let at = format!("at{}", self.fresh);
        let value = self.value(cell);
        let link = self.link(cell);
        self.open("");
        let place = match self.random.below(3) {
            0 => format!("{name} != NULL ? &{name}->{link} : &{name}"),
            _ => format!("&{name}"),
        };
        self.line(&format!("{} **{at} = {place};", cell.name()));
        self.line(&format!("*{at} = {value};"));
        self.close();
    }

    /// A stretch that uses memory in other ways than by assignments of pointers: flexible arrays, unions, bytes, library
    /// functions, links in both directions.
    fn odd_stretch(&mut self) {
        let (list, cell) = self.any();
        let link = self.link(cell);
        let other_link = self.link(cell);
        let name = cell.name();
        self.fresh += 1;
        let t = format!("t{}", self.fresh);
        let other = self.value(cell);
        let node = self.value(Cell::Node);
        let index = ["0", "1", "k & 1"][self.random.below(3) as usize];
        let more = ["0", "1", "k & 1"][self.random.below(3) as usize];
        let guard = format!("if ({list} != NULL) {{");
        let code: Vec<String> = match self.random.below(34) {
            0 | 1 => vec![
                format!("struct bag *{t} = calloc(1, sizeof *{t} + 2 * sizeof(struct node *));"),
                format!("if ({t} != NULL) {{"),
                format!("{t}->items[{index}] = {node};"),
                format!("{t}->items[{more}] = malloc(sizeof(struct node));"),
                format!("free({t}->items[{index}]);"),
                format!("{t}->items[{more}] = NULL;"),
                format!("free({t});"),
                "}".to_owned(),
            ],
            2 => vec![
                format!("union slot {t};"),
                format!("{t}.node = malloc(sizeof(struct node));"),
                format!("if ({node} != NULL)"),
                format!("{t}.number = 0;"),
                format!("free({t}.node);"),
            ],
            3 => vec![
                format!("struct pack {t} = {{0}};"),
                format!("{t}.slot.node = {node};"),
                format!("{t}.one = malloc(sizeof(struct node));"),
                format!("struct pack u{t} = {t};"),
                format!("{t}.slot.number = 0;"),
                format!("free(u{t}.one);"),
            ],
            4 => vec![guard, format!("memset({list}, 0, sizeof *{list});"), "}".to_owned()],
            5 => vec![guard, format!("explicit_bzero({list}, sizeof *{list});"), "}".to_owned()],
            6 => vec![guard, format!("strncpy((char *){list}, \"\", sizeof *{list});"), "}".to_owned()],
            7 => vec![guard, format!("wipe({list}, sizeof *{list});"), "}".to_owned()],
            8 => vec![guard, format!("put((char *)&{list}->{link}, {other});"), "}".to_owned()],
            9 => vec![guard, format!("set((unsigned long *)&{list}->{link}, 0);"), "}".to_owned()],
            10 => vec![
                guard,
                format!("memcpy(&{list}->{link}, &{list}->{other_link}, sizeof {list}->{link});"),
                "}".to_owned(),
            ],
            11 => vec![
                format!("char {t}[8];"),
                format!("memcpy({t}, &{list}, sizeof {list});"),
                format!("{list} = NULL;"),
                format!("memcpy(&{list}, {t}, sizeof {list});"),
            ],
            12 => vec![
                guard,
                format!("unsigned char *{t} = (unsigned char *){list};"),
                format!("for (int i{t} = 0; i{t} < (int)sizeof *{list}; i{t}++)"),
                format!("{t}[i{t}] = 0;"),
                "}".to_owned(),
            ],
            13 => vec![
                format!("unsigned long {t} = (unsigned long){list};"),
                format!("{list} = NULL;"),
                format!("{list} = ({name} *){t};"),
            ],
            14 => vec![
                format!("char {t}[16] = {{0}};"),
                format!("put({t}, malloc(sizeof *{list}));"),
                format!("wipe({t}, sizeof {t});"),
            ],
            // Links in both directions.
            15 | 16 => vec![
                format!("struct node *{t} = calloc(1, sizeof *{t});"),
                format!("struct node *u{t} = {node};"),
                format!("if ({t} != NULL && u{t} != NULL) {{"),
                format!("{t}->next = u{t};"),
                format!("{t}->prev = u{t}->prev;"),
                format!("u{t}->prev = {t};"),
                format!("if ({t}->prev != NULL)"),
                format!("{t}->prev->next = {t};"),
                "}".to_owned(),
            ],
            17 => vec![
                format!("struct node *{t} = {node};"),
                format!("if ({t} != NULL && {t}->next != NULL && {t}->prev != NULL) {{"),
                format!("{t}->next->prev = {t}->prev;"),
                format!("{t}->prev->next = {t}->next;"),
                format!("free({t});"),
                "}".to_owned(),
            ],
            18 => vec![guard, format!("{list}->{link} = {list};"), "}".to_owned()],
            // Blocks that are more than they are declared as where they are released.
            20 | 21 => vec![
                format!(
                    "struct row *{t} = calloc({}, sizeof *{t});",
                    ["1", "2"][self.random.below(2) as usize]
                ),
                format!("if ({t} != NULL) {{"),
                format!("{t}[{index}].held = {node};"),
                format!("{t}[{more}].held = malloc(sizeof(struct node));"),
                format!("free({t}[{more}].held);"),
                format!("free({t});"),
                "}".to_owned(),
            ],
            22 => vec![
                format!("struct derived *{t} = calloc(1, sizeof *{t});"),
                format!("if ({t} != NULL) {{"),
                format!("struct base *u{t} = &{t}->base;"),
                format!("{t}->held = {};", self.fresh_or(&node)),
                format!("{t} = NULL;"),
                format!("free(u{t});"),
                "}".to_owned(),
            ],
            23 => vec![
                format!("struct derived *{t} = calloc(1, sizeof *{t});"),
                format!("if ({t} != NULL) {{"),
                format!("struct base *u{t} = &{t}->base;"),
                format!("{t}->held = malloc(sizeof(struct node));"),
                format!("free(((struct derived *)u{t})->held);"),
                format!("free(u{t});"),
                "}".to_owned(),
            ],
            // Pointers among the letters of a record.
            24 => vec![
                format!("struct label *{t} = calloc(1, sizeof *{t});"),
                format!("if ({t} != NULL) {{"),
                format!("put({t}->letters + 4, {});", self.fresh_or(&node)),
                format!("free({t});"),
                "}".to_owned(),
            ],
            25 => vec![
                format!("struct label {t} = {{0}};"),
                format!("struct label u{t} = {{0}};"),
                format!("put({t}.letters + 4, {});", self.fresh_or(&node)),
                format!("u{t} = {t};"),
                format!("memset(&{t}, 0, sizeof {t});"),
                format!("memset(&u{t}, 0, sizeof u{t});"),
            ],
            // Exchanges, records as values, blocks that move.
            26 => vec![format!("free(__atomic_exchange_n(&{list}, {other}, 5));")],
            27 => vec![format!("__atomic_exchange_n(&{list}, {other}, 5);")],
            28 => vec![
                format!("struct two {t} = {{{node}, malloc(sizeof(struct node))}};"),
                format!("{t} = turned({t});"),
                format!("free({t}.a);"),
            ],
            29 => vec![
                format!("struct two *{t} = &(struct two){{{node}, NULL}};"),
                format!("{t}->b = malloc(sizeof(struct node));"),
                format!("free({t}->{});", ["a", "b"][self.random.below(2) as usize]),
            ],
            30 | 31 => vec![
                format!("struct node **{t} = malloc(sizeof *{t});"),
                format!("if ({t} != NULL) {{"),
                format!("{t}[0] = {};", self.fresh_or(&node)),
                format!("struct node **u{t} = realloc({t}, 2 * sizeof *{t});"),
                format!("if (u{t} != NULL) {{"),
                format!("u{t}[1] = malloc(sizeof(struct node));"),
                format!("free(u{t}[{index}]);"),
                format!("free(u{t}[{more}]);"),
                format!("free(u{t});"),
                "}".to_owned(),
                "}".to_owned(),
            ],
            32 => vec![
                format!("struct node *{t}[2 + (k & 1)];"),
                format!("{t}[0] = {t}[1] = NULL;"),
                format!("{t}[{index}] = malloc(sizeof(struct node));"),
                format!("free({t}[{more}]);"),
            ],
            33 => vec![
                format!("static struct node *{t};"),
                format!("free({t});"),
                format!("{t} = {};", self.fresh_or(&node)),
            ],
            _ => vec![
                format!("{name} *{t} = malloc(sizeof *{t});"),
                format!("if ({t} != NULL && {list} != NULL) {{"),
                format!("memcpy({t}, {list}, sizeof *{list});"),
                format!("free({list});"),
                format!("{list} = {t};"),
                "}".to_owned(),
            ],
        };
        self.open("");
        for line in &code {
            match line.as_str() {
                "}" => self.close(),
                line => {
                    self.line(line);
                    self.depth += usize::from(line.ends_with('{'));
                }
            }
        }
        self.close();
    }

    /// A new block, or a value.
    fn fresh_or(&mut self, value: &str) -> String {
        if self.random.chance(1, 2) { "malloc(sizeof(struct node))".to_owned() } else { value.to_owned() }
    }

    /// A stretch of a routine, mostly as it should be.
    fn stretch(&mut self) {
        let (list, cell) = self.any();
        let link = self.link(cell);
        let name = cell.name();
        self.fresh += 1;
        let t = format!("t{}", self.fresh);
        let u = format!("u{}", self.fresh);
        let code: Vec<String> = match self.random.below(9) {
            // A fresh cell in front.
            0 | 1 => vec![
                format!("{name} *{t} = malloc(sizeof *{t});"),
                format!("if ({t} != NULL) {{"),
                format!("{t}->{link} = {list};"),
                format!("{list} = {t};"),
                "}".to_owned(),
            ],
            // The first cell away.
            2 => vec![
                format!("if ({list} != NULL) {{"),
                format!("{name} *{t} = {list}->{link};"),
                format!("free({list});"),
                format!("{list} = {t};"),
                "}".to_owned(),
            ],
            // All cells away.
            3 => vec![
                format!("int i{t} = 5;"),
                format!("while ({list} != NULL && i{t}-- > 0) {{"),
                format!("{name} *{t} = {list}->{link};"),
                format!("free({list});"),
                format!("{list} = {t};"),
                "}".to_owned(),
            ],
            // Turned round.
            4 => vec![
                format!("{name} *{t} = NULL;"),
                format!("int i{t} = 5;"),
                format!("while ({list} != NULL && i{t}-- > 0) {{"),
                format!("{name} *{u} = {list}->{link};"),
                format!("{list}->{link} = {t};"),
                format!("{t} = {list};"),
                format!("{list} = {u};"),
                "}".to_owned(),
                format!("{list} = {t};"),
            ],
            // A fresh cell at the end.
            5 => vec![
                format!("{name} *{t} = calloc(1, sizeof *{t});"),
                format!("{name} *{u} = {list};"),
                format!("int i{t} = 5;"),
                format!("while ({u} != NULL && {u}->{link} != NULL && i{t}-- > 0)"),
                format!("{u} = {u}->{link};"),
                format!("if ({u} == NULL)"),
                format!("{list} = {t};"),
                "else".to_owned(),
                format!("{u}->{link} = {t};"),
            ],
            // The second cell away.
            6 => vec![
                format!("if ({list} != NULL && {list}->{link} != NULL) {{"),
                format!("{name} *{t} = {list}->{link};"),
                format!("{list}->{link} = {t}->{link};"),
                format!("free({t});"),
                "}".to_owned(),
            ],
            // A fresh cell after the first, or nothing.
            7 => vec![
                format!("if ({list} != NULL) {{"),
                format!("{name} *{t} = malloc(sizeof *{t});"),
                format!("if ({t} == NULL)"),
                "return".to_owned(),
                format!("{t}->{link} = {list}->{link};"),
                format!("{list}->{link} = {t};"),
                "}".to_owned(),
            ],
            // Two links change places.
            _ => {
                let other = self.link(cell);
                vec![
                    format!("if ({list} != NULL) {{"),
                    format!("{name} *{t} = {list}->{link};"),
                    format!("{list}->{link} = {list}->{other};"),
                    format!("{list}->{other} = {t};"),
                    "}".to_owned(),
                ]
            }
        };
        self.open("");
        let mutate = self.random.chance(1, 4);
        let spot = self.random.below(code.len() as u64) as usize;
        for (index, line) in code.iter().enumerate() {
            let assignment = line.contains(" = ") && !line.contains('{') && !line.starts_with("int ");
            let declares = line.starts_with("struct");
            let under_test = index > 0
                && (code[index - 1] == "else"
                    || (code[index - 1].starts_with("if") && !code[index - 1].ends_with('{'))
                    || (code[index - 1].starts_with("while") && !code[index - 1].ends_with('{')));
            if line == "return" {
                self.depth += 1;
                self.give_back();
                self.depth -= 1;
            } else if line == "}" {
                self.close();
            } else if line.ends_with('{') {
                self.line(line);
                self.depth += 1;
            } else if mutate && index == spot && assignment && !declares && !under_test {
                // This line is left out, or written twice.
                if self.random.chance(1, 4) {
                    self.line(line);
                    self.line(line);
                }
            } else {
                self.line(line);
            }
        }
        self.close();
    }
}

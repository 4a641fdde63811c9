//! Statements and local variables.

use super::kind::Kind;
use super::{Generator, Output, Shape};

impl Generator {
    /// Declares some variables of the current block.
    pub(super) fn locals(&mut self) {
        for _ in 0..self.random.range(1, 5) {
            let name = self.name("v");
            if self.random.chance(1, 5)
                && let Some((target, kind)) = self.target()
            {
                self.line(&format!("{} *{name} = {target};", kind.name()));
                self.declare(&name, Shape::Pointer(kind), true, false);
                continue;
            }
            let shape = self.shape();
            let declared = self.declarator(shape, &name);
            if self.random.chance(1, 6) {
                let value = self.initialiser(shape);
                self.line(&format!("static {declared} = {value};"));
            } else {
                let value = match shape {
                    Shape::Scalar(kind) => self.expression(kind, 1),
                    Shape::Struct(number) => self.whole(number, 1),
                    _ => self.initialiser(shape),
                };
                self.line(&format!("{declared} = {value};"));
            }
            self.declare(&name, shape, true, false);
        }
    }

    pub(super) fn statements(&mut self, count: u64, depth: u32) {
        for _ in 0..count {
            self.statement(depth);
        }
    }

    /// A block of its own, with variables of its own.
    fn block(&mut self, head: &str, depth: u32) {
        self.open(head);
        let outer = self.scope.clone();
        if self.random.chance(1, 3) {
            self.locals();
        }
        let count = self.random.range(1, 3);
        self.statements(count, depth + 1);
        self.scope = outer;
        self.close();
    }

    fn statement(&mut self, depth: u32) {
        // Deep inside, only statements without parts.
        let choice = if depth >= 3 { self.random.below(9) } else { self.random.below(22) };
        match choice {
            0..=3 => self.assignment(),
            4 => {
                let kind = Kind::any(&mut self.random);
                let value = self.expression(kind, 0);
                self.line(&format!("{};", kind.mix(&value)));
            }
            5 => self.increment(),
            6 => self.retarget(),
            7 => self.structure_copy(),
            8 => self.leave(),
            9..=11 => {
                let condition = self.condition(0);
                self.block(&format!("if ({condition})"), depth);
                if self.random.chance(1, 2) {
                    self.block("else", depth);
                }
            }
            12..=14 => self.counted_loop(depth),
            15 => {
                let condition = self.condition(1);
                self.loops += 1;
                self.block(&format!("while (--work > 0 && {condition})"), depth);
                self.loops -= 1;
            }
            16 => self.repeated_block(depth),
            17 => self.switch(depth),
            18 => self.jump(depth),
            19 => self.computed_jump(),
            20 => self.heap_block(depth),
            _ => self.call_statement(),
        }
    }

    fn assignment(&mut self) {
        let Some((place, kind)) = self.place(1, true) else { return };
        let value = self.expression(kind, 0);
        let operators: &[&str] = match (kind.float(), kind == kind.arithmetic()) {
            (true, _) => &["=", "+=", "*="],
            (false, true) => &["=", "=", "+=", "-=", "*=", "^=", "|="],
            (false, false) => &["=", "=", "^=", "|=", "&="],
        };
        let operator = self.random.pick(operators);
        self.line(&format!("{place} {operator} {value};"));
    }

    fn increment(&mut self) {
        let Some((place, kind)) = self.place(1, true) else { return };
        // Signed types as wide as `int` could overflow.
        if kind.signed() && kind.bits() >= 32 {
            return;
        }
        let operator = self.random.pick(&["++", "--"]);
        if self.random.chance(1, 2) {
            self.line(&format!("({place}){operator};"));
        } else {
            let mixed = kind.mix(&format!("{operator}({place})"));
            self.line(&format!("{mixed};"));
        }
    }

    /// Lets a pointer point elsewhere.
    fn retarget(&mut self) {
        let variables = self.scope.variables.iter();
        let pointers: Vec<(String, Kind)> = variables
            .filter_map(|variable| match variable.shape {
                Shape::Pointer(kind) => Some((variable.name.clone(), kind)),
                _ => None,
            })
            .collect();
        let chosen = self.random.below(pointers.len() as u64) as usize;
        let (Some((name, kind)), Some((target, found))) = (pointers.get(chosen), self.target()) else {
            return;
        };
        if *kind == found {
            self.line(&format!("{name} = {target};"));
        }
    }

    fn structure_copy(&mut self) {
        let variables = self.scope.variables.iter();
        let structs: Vec<(String, usize)> = variables
            .filter_map(|variable| match variable.shape {
                Shape::Struct(number) if variable.mutable => Some((variable.name.clone(), number)),
                _ => None,
            })
            .collect();
        let chosen = self.random.below(structs.len() as u64) as usize;
        let Some((name, number)) = structs.get(chosen) else { return };
        let value = self.whole(*number, 1);
        match self.random.below(4) {
            0 => self.line(&format!("{{ struct S{number} t = {value}; memcpy(&{name}, &t, sizeof t); }}")),
            1 => self.line(&format!("memset(&{name}, 0, sizeof {name});")),
            _ => self.line(&format!("{name} = {value};")),
        }
    }

    /// Leaves a loop or the function.
    fn leave(&mut self) {
        let condition = self.condition(1);
        if self.loops > 0 && self.random.chance(3, 4) {
            let word = self.random.pick(&["break", "continue"]);
            return self.line(&format!("if ({condition}) {word};"));
        }
        if self.random.chance(1, 4) {
            let value = self.result_expression();
            self.line(&format!("if ({condition}) return {value};"));
        }
    }

    fn counted_loop(&mut self, depth: u32) {
        let name = self.name("i");
        let turns = self.random.range(1, 6);
        let kind = *self.random.pick(&[&Kind::I32, &Kind::U8, &Kind::I64, &Kind::U16]);
        let outer = self.scope.clone();
        self.declare(&name, Shape::Scalar(kind), false, false);
        self.loops += 1;
        let spelled = kind.name();
        self.block(&format!("for ({spelled} {name} = 0; {name} < {turns} && --work > 0; {name}++)"), depth);
        self.loops -= 1;
        self.scope = outer;
    }

    /// A loop of a label and a jump back.
    fn repeated_block(&mut self, depth: u32) {
        let (label, counter) = (self.name("again"), self.name("n"));
        self.open("");
        let turns = self.random.range(1, 4);
        self.line(&format!("int {counter} = {turns};"));
        self.line(&format!("{label}:;"));
        self.block("", depth);
        self.line(&format!("if (--{counter} > 0 && --work > 0) goto {label};"));
        self.close();
    }

    fn switch(&mut self, depth: u32) {
        let kind = Kind::integer(&mut self.random);
        let kind = if kind.bits() > 64 { Kind::U64 } else { kind };
        let value = self.expression(kind, 0);
        let spread = self.random.pick(&["7", "15", "3"]);
        self.open(&format!("switch ({value} & {spread})"));
        let loops = std::mem::take(&mut self.loops);
        for label in 0..self.random.range(1, 6) {
            if self.random.chance(1, 6) {
                continue;
            }
            self.line(&format!("case {}:", label * 2));
            self.block("", depth);
            if self.random.chance(2, 3) {
                self.line("break;");
            }
        }
        if self.random.chance(2, 3) {
            self.line("default:");
            self.block("", depth);
        }
        self.loops = loops;
        self.close();
    }

    /// A jump forward over a block.
    fn jump(&mut self, depth: u32) {
        let label = self.name("over");
        let condition = self.condition(0);
        self.line(&format!("if ({condition}) goto {label};"));
        self.block("", depth);
        self.line(&format!("{label}:;"));
    }

    /// A jump through a table of labels.
    fn computed_jump(&mut self) {
        let (one, other, end) = (self.name("one"), self.name("other"), self.name("end"));
        let choice = self.expression(Kind::U8, 1);
        self.open("");
        self.line(&format!("static void *const labels[2] = {{&&{one}, &&{other}}};"));
        self.line(&format!("goto *labels[{choice} & 1];"));
        self.line(&format!("{one}:;"));
        self.assignment();
        self.line(&format!("goto {end};"));
        self.line(&format!("{other}:;"));
        self.assignment();
        self.line(&format!("{end}:;"));
        self.close();
    }

    /// An array on the heap, for the length of a block.
    fn heap_block(&mut self, depth: u32) {
        let (name, counter) = (self.name("h"), self.name("k"));
        let kind = Kind::any(&mut self.random);
        let len = 1u32 << self.random.range(1, 4);
        let spelled = kind.name();
        let outer = self.scope.clone();
        self.open("");
        self.line(&format!("{spelled} *{name} = malloc({len} * sizeof *{name});"));
        let value = self.expression(kind, 2);
        self.line(&format!(
            "for (int {counter} = 0; {counter} < {len}; {counter}++) {name}[{counter}] = {value};"
        ));
        self.declare(&name, Shape::Array(kind, len), true, false);
        // A statement that leaves the block loses the array, which both forms must count alike.
        let count = self.random.range(1, 4);
        self.statements(count, depth + 1);
        self.line(&format!("free({name});"));
        self.close();
        self.scope = outer;
    }

    fn call_statement(&mut self) {
        let number = self.random.below(self.functions.len() as u64) as usize;
        let output = self.functions[number].output;
        let call = self.call(number, 2);
        let text = match output {
            Output::Scalar(_) if self.random.chance(1, 4) => format!("(void){call};"),
            _ => self.mixed(output, &call),
        };
        self.line(&text);
    }
}

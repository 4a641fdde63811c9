//! Small random C programs without undefined behaviour, for machines that have no csmith.
//!
//! In: a seed. Out: the text of a program that mixes everything it computes into a checksum and prints it often.
//! What must hold: the program is valid C, its behaviour does not depend on anything that C leaves open and
//! compilers decide differently at run time, and it ends soon.
//!
//! How: every expression is generated for a wanted type and cast to it. Arithmetic is done in an unsigned type at
//! least as wide as `int`, divisors are tested, shift amounts and indices are masked, pointers always point at
//! something alive. Each call uses up `fuel` and each turn of a loop uses up `work`, so that recursion and nested
//! loops end. A function calls only itself and those before it.
//!
//! ```c
//! static short f0(unsigned char p0, struct S1 p1) {
//!     short v0 = ((short)((unsigned)((short)(p0)) * (unsigned)((short)(g2))));
//!     for (int i1 = 0; i1 < 5 && --work > 0; i1++) { g3[(i1) & 7] ^= ((int)(v0)); }
//!     return ((short)(v0));
//! }
//! ```

mod expression;
mod kind;
mod random;
mod statement;

use kind::Kind;
use random::Random;
use std::fmt::Write as _;

/// What programs need besides what is generated.
const PRELUDE: &str = include_str!("prelude.h");

/// The program of a seed.
pub(crate) fn program(seed: u64) -> String {
    let mut generator = Generator {
        random: Random::new(seed),
        out: String::new(),
        structs: Vec::new(),
        functions: Vec::new(),
        scope: Scope::default(),
        names: 0,
        indent: 0,
        loops: 0,
        result: Output::Scalar(Kind::I32),
    };
    generator.out.push_str(PRELUDE);
    generator.program();
    generator.out
}

/// A struct type: its fields with their kinds, and how many bits a field has if it is a bit-field.
struct Struct {
    fields: Vec<(String, Kind, Option<u32>)>,
}

/// What a parameter or variable is.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Shape {
    Scalar(Kind),
    Struct(usize),
    /// A pointer to a scalar that is alive.
    Pointer(Kind),
    /// The number of elements is a power of two.
    Array(Kind, u32),
    /// Rows and columns, both powers of two.
    Table(Kind, u32, u32),
}

#[derive(Copy, Clone, PartialEq, Eq)]
enum Output {
    Scalar(Kind),
    Struct(usize),
}

struct Function {
    params: Vec<Shape>,
    output: Output,
}

/// A variable in scope.
#[derive(Clone)]
struct Variable {
    name: String,
    shape: Shape,
    /// It may be written.
    mutable: bool,
    /// Its address may be kept by anything in the same function.
    global: bool,
}

#[derive(Clone, Default)]
struct Scope {
    variables: Vec<Variable>,
}

struct Generator {
    random: Random,
    out: String,
    structs: Vec<Struct>,
    functions: Vec<Function>,
    scope: Scope,
    /// Numbers for names that must differ.
    names: u32,
    indent: usize,
    /// Loops around the current statement.
    loops: u32,
    /// What the current function returns.
    result: Output,
}

impl Generator {
    fn program(&mut self) {
        for _ in 0..self.random.range(1, 3) {
            self.structure();
        }
        for _ in 0..self.random.range(5, 10) {
            self.global();
        }
        for _ in 0..self.random.range(2, 4) {
            self.function();
        }
        self.main();
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn open(&mut self, text: &str) {
        let space = if text.is_empty() { "" } else { " " };
        self.line(&format!("{text}{space}{{"));
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn structure(&mut self) {
        let number = self.structs.len();
        let mut fields = Vec::new();
        let packed = if self.random.chance(1, 5) { " __attribute__((packed))" } else { "" };
        self.open(&format!("struct{packed} S{number}"));
        for index in 0..self.random.range(1, 7) {
            let name = format!("m{index}");
            let kind = Kind::any(&mut self.random);
            let bits = (kind.bit_field() && self.random.chance(1, 3))
                .then(|| self.random.range(1, u64::from(kind.bits())) as u32);
            match bits {
                Some(bits) => self.line(&format!("{} {name} : {bits};", kind.name())),
                None => self.line(&format!("{} {name};", kind.name())),
            }
            fields.push((name, kind, bits));
        }
        self.indent -= 1;
        self.line("};");
        self.structs.push(Struct { fields });
    }

    /// The type before and after the name of a variable.
    fn declarator(&self, shape: Shape, name: &str) -> String {
        match shape {
            Shape::Scalar(kind) => format!("{} {name}", kind.name()),
            Shape::Struct(number) => format!("struct S{number} {name}"),
            Shape::Pointer(kind) => format!("{} *{name}", kind.name()),
            Shape::Array(kind, len) => format!("{} {name}[{len}]", kind.name()),
            Shape::Table(kind, rows, columns) => format!("{} {name}[{rows}][{columns}]", kind.name()),
        }
    }

    fn shape(&mut self) -> Shape {
        let kind = Kind::any(&mut self.random);
        match self.random.below(8) {
            0 | 1 => Shape::Array(kind, 1 << self.random.range(1, 4)),
            2 => Shape::Table(kind, 1 << self.random.range(1, 2), 1 << self.random.range(1, 3)),
            3 | 4 => Shape::Struct(self.random.below(self.structs.len() as u64) as usize),
            _ => Shape::Scalar(kind),
        }
    }

    /// An initialiser of constants.
    fn initialiser(&mut self, shape: Shape) -> String {
        match shape {
            Shape::Scalar(kind) => self.literal(kind),
            Shape::Struct(number) => {
                let kinds: Vec<Kind> = self.structs[number].fields.iter().map(|field| field.1).collect();
                let values: Vec<String> = kinds.iter().map(|&kind| self.literal(kind)).collect();
                format!("{{{}}}", values.join(", "))
            }
            Shape::Array(kind, len) => {
                let given = self.random.range(1, u64::from(len));
                let values: Vec<String> = (0..given).map(|_| self.literal(kind)).collect();
                format!("{{{}}}", values.join(", "))
            }
            Shape::Table(kind, _, columns) => {
                let row = self.initialiser(Shape::Array(kind, columns));
                format!("{{{row}, {row}}}")
            }
            Shape::Pointer(_) => unreachable!("pointers are initialised where their target is chosen"),
        }
    }

    fn global(&mut self) {
        let name = self.name("g");
        // A pointer to an earlier global, to an element of it if it is an array.
        if self.random.chance(1, 5)
            && let Some((target, kind)) = self.target()
        {
            self.line(&format!("static {} *{name} = {target};", kind.name()));
            self.declare(&name, Shape::Pointer(kind), true, true);
            return;
        }
        let shape = self.shape();
        let constant = self.random.chance(1, 6);
        let qualifier = if constant {
            "const "
        } else if self.random.chance(1, 6) && matches!(shape, Shape::Scalar(_)) {
            "volatile "
        } else {
            ""
        };
        let declared = self.declarator(shape, &name);
        if constant || self.random.chance(2, 3) {
            let value = self.initialiser(shape);
            self.line(&format!("static {qualifier}{declared} = {value};"));
        } else {
            self.line(&format!("static {qualifier}{declared};"));
        }
        self.declare(&name, shape, !constant, true);
        if qualifier == "volatile " {
            // Pointers to it would need the qualifier too.
            let variable = self.scope.variables.last_mut().expect("just declared");
            variable.global = false;
        }
    }

    fn declare(&mut self, name: &str, shape: Shape, mutable: bool, global: bool) {
        self.scope.variables.push(Variable { name: name.to_owned(), shape, mutable, global });
    }

    fn function(&mut self) {
        let number = self.functions.len();
        let params: Vec<Shape> = (0..self.random.below(6))
            .map(|_| match self.random.below(6) {
                0 => Shape::Struct(self.random.below(self.structs.len() as u64) as usize),
                1 => Shape::Pointer(Kind::any(&mut self.random)),
                _ => Shape::Scalar(Kind::any(&mut self.random)),
            })
            .collect();
        let output = if self.random.chance(1, 4) {
            Output::Struct(self.random.below(self.structs.len() as u64) as usize)
        } else {
            Output::Scalar(Kind::any(&mut self.random))
        };
        let spelled = match output {
            Output::Struct(number) => format!("struct S{number}"),
            Output::Scalar(kind) => kind.name().to_owned(),
        };
        let outer = self.scope.clone();
        let mut list = Vec::new();
        for (index, &shape) in params.iter().enumerate() {
            let name = format!("p{index}");
            list.push(self.declarator(shape, &name));
            self.declare(&name, shape, true, false);
        }
        let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
        let inline = if self.random.chance(1, 4) { "inline " } else { "" };
        // The function may call itself.
        self.functions.push(Function { params, output });
        self.result = output;
        self.open(&format!("static {inline}{spelled} f{number}({list})"));
        let empty = self.empty_result();
        self.line(&format!("if (--fuel < 0) return {empty};"));
        self.locals();
        let statements = self.random.range(3, 6);
        self.statements(statements, 0);
        let value = self.result_expression();
        self.line(&format!("return {value};"));
        self.close();
        self.scope = outer;
    }

    fn main(&mut self) {
        self.result = Output::Scalar(Kind::I32);
        self.open("int main(void)");
        let outer = self.scope.clone();
        self.locals();
        for number in 0..self.functions.len() {
            for _ in 0..self.random.range(1, 3) {
                self.line("fuel = 20, work = 150;");
                let call = self.call(number, 1);
                let call = self.mixed(self.functions[number].output, &call);
                self.line(&call);
                self.line("show();");
            }
        }
        self.scope = outer;
        for variable in self.scope.variables.clone() {
            self.mix_variable(&variable);
        }
        self.line("show();");
        self.line("return (int)(sum & 127);");
        self.close();
    }

    /// A statement that mixes the result of a call.
    fn mixed(&self, output: Output, call: &str) -> String {
        match output {
            Output::Scalar(kind) => format!("{};", kind.mix(call)),
            Output::Struct(number) => {
                let fields = &self.structs[number].fields;
                let mixes: Vec<String> = fields.iter().map(|field| kind::bit_mix(field, "whole")).collect();
                format!("{{ struct S{number} whole = {call}; {}; }}", mixes.join("; "))
            }
        }
    }

    /// Mixes everything in a variable.
    fn mix_variable(&mut self, variable: &Variable) {
        let name = &variable.name;
        let text = match variable.shape {
            Shape::Scalar(kind) => format!("{};", kind.mix(name)),
            Shape::Pointer(kind) => format!("{};", kind.mix(&format!("*{name}"))),
            Shape::Struct(number) => {
                let fields = &self.structs[number].fields;
                let mixes: Vec<String> = fields.iter().map(|field| kind::bit_mix(field, name)).collect();
                format!("{};", mixes.join("; "))
            }
            Shape::Array(kind, len) => {
                format!("for (int i = 0; i < {len}; i++) {};", kind.mix(&format!("{name}[i]")))
            }
            Shape::Table(kind, rows, columns) => {
                let element = kind.mix(&format!("{name}[i][j]"));
                format!("for (int i = 0; i < {rows}; i++) for (int j = 0; j < {columns}; j++) {element};")
            }
        };
        self.line(&text);
    }

    fn empty_result(&self) -> String {
        match self.result {
            Output::Scalar(kind) => format!("({})0", kind.name()),
            Output::Struct(number) => format!("(struct S{number}){{0}}"),
        }
    }

    fn result_expression(&mut self) -> String {
        match self.result {
            Output::Scalar(kind) => self.expression(kind, 0),
            Output::Struct(number) => self.whole(number, 0),
        }
    }
}

/// Appends to a text, which cannot fail.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

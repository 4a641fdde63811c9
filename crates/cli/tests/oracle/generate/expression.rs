//! Expressions of a wanted type.

use super::kind::{Kind, Kind::*};
use super::{Generator, Output, Shape, push};

impl Generator {
    /// A constant of this type.
    pub(super) fn literal(&mut self, kind: Kind) -> String {
        // Small numbers, and numbers near the ends of a range, find more than numbers in the middle.
        let number = match self.random.below(4) {
            0 => self.random.below(5),
            1 => u64::MAX - self.random.below(3),
            2 => (1 << self.random.below(64)) - self.random.below(2),
            _ => self.random.next(),
        };
        match kind {
            Bool => format!("{}", number & 1),
            F32 | F64 => {
                let values =
                    ["0.0", "-0.0", "1.5", "-2.25", "1e10", "3.1415926535", "-1e-7", "65536.0", "0.1"];
                format!("({}){}", kind.name(), self.random.pick(&values))
            }
            I128 | U128 => {
                format!("({})((unsigned __int128){}ull << {} ^ {number}ull)", kind.name(), number >> 3, 61)
            }
            _ => format!("({}){number}ull", kind.name()),
        }
    }

    /// An expression of exactly this type, in parentheses where needed.
    pub(super) fn expression(&mut self, kind: Kind, depth: u32) -> String {
        if depth >= 3 || self.random.chance(u64::from(depth), 5) {
            return self.leaf(kind, depth);
        }
        let inner = if kind.float() { self.real(kind, depth) } else { self.whole_number(kind, depth) };
        format!("(({})({inner}))", kind.name())
    }

    /// An expression that converts to a floating-point type.
    fn real(&mut self, kind: Kind, depth: u32) -> String {
        let depth = depth + 1;
        match self.random.below(7) {
            0..=3 => {
                let operator = self.random.pick(&["+", "-", "*", "/"]);
                format!("{} {operator} {}", self.expression(kind, depth), self.expression(kind, depth))
            }
            4 => {
                let whole = self.random.pick(&[&I32, &I64, &U64, &U8, &I16, &U32]);
                self.expression(*whole, depth)
            }
            5 => self.choice(kind, depth),
            _ => format!("-{}", self.expression(kind, depth)),
        }
    }

    fn choice(&mut self, kind: Kind, depth: u32) -> String {
        let condition = self.condition(depth);
        format!("{condition} ? {} : {}", self.expression(kind, depth), self.expression(kind, depth))
    }

    /// An expression that converts to an integer type without overflow.
    fn whole_number(&mut self, kind: Kind, depth: u32) -> String {
        let depth = depth + 1;
        let wide = kind.arithmetic();
        match self.random.below(20) {
            0..=3 => {
                let operator = self.random.pick(&["+", "-", "*"]);
                let (lhs, rhs) = (self.expression(kind, depth), self.expression(kind, depth));
                format!("({}){lhs} {operator} ({}){rhs}", wide.name(), wide.name())
            }
            4..=6 => {
                // Operands of different types, converted as C likes.
                let operator = self.random.pick(&["&", "|", "^"]);
                let (one, other) = (Kind::integer(&mut self.random), Kind::integer(&mut self.random));
                format!("{} {operator} {}", self.expression(one, depth), self.expression(other, depth))
            }
            7 | 8 => {
                // Types narrower than `int` cannot overflow in it.
                let operator = self.random.pick(&["+", "-"]);
                let (one, other) = (self.narrow(), self.narrow());
                format!("{} {operator} {}", self.expression(one, depth), self.expression(other, depth))
            }
            9 | 10 => {
                let operator = self.random.pick(&["/", "%"]);
                let of = Kind::integer(&mut self.random);
                self.division(of, operator, depth)
            }
            11 | 12 => {
                let of = Kind::integer(&mut self.random);
                let amount = self.expression(U8, depth);
                let mask = of.arithmetic().bits() - 1;
                let value = self.expression(of, depth);
                if self.random.chance(1, 2) {
                    format!("({}){value} << ({amount} & {mask})", of.arithmetic().name())
                } else {
                    // Narrow types are as wide as `int` when shifted.
                    format!("{value} >> ({amount} & {mask})")
                }
            }
            13 => format!("~{}", self.expression(kind, depth)),
            14 => self.condition(depth),
            15 => self.choice(kind, depth),
            16 => {
                let real = self.expression(F64, depth);
                if kind.signed() { format!("to_signed({real})") } else { format!("to_unsigned({real})") }
            }
            17 => {
                let operation = self.expression(U8, depth);
                let (lhs, rhs) = (self.expression(I32, depth), self.expression(I32, depth));
                format!("operations[{operation} & 3]({lhs}, {rhs})")
            }
            18 => self.gather(depth),
            _ => match self.scalar_function() {
                Some((number, _)) if depth < 3 => self.call(number, depth),
                _ => format!("-({}){}", wide.name(), self.expression(kind, depth)),
            },
        }
    }

    fn narrow(&mut self) -> Kind {
        *self.random.pick(&[&I8, &U8, &I16, &U16, &Bool])
    }

    /// A division whose divisor is tested. Minus one is excluded for the sake of the least number.
    fn division(&mut self, kind: Kind, operator: &str, depth: u32) -> String {
        let (lhs, rhs) = (self.expression(kind, depth), self.expression(kind, depth));
        let name = kind.name();
        let test = if kind.signed() { "d != 0 && d != -1" } else { "d != 0" };
        format!("({{ {name} d = {rhs}; {test} ? {lhs} {operator} d : {lhs}; }})")
    }

    /// Something true or false.
    pub(super) fn condition(&mut self, depth: u32) -> String {
        let depth = depth + 1;
        let operator = self.random.pick(&["<", ">", "<=", ">=", "==", "!="]);
        match self.random.below(if depth > 2 { 3 } else { 6 }) {
            0 | 1 => {
                let (one, other) = (Kind::integer(&mut self.random), Kind::integer(&mut self.random));
                format!("({} {operator} {})", self.expression(one, depth), self.expression(other, depth))
            }
            2 => {
                let kind = *self.random.pick(&[&F32, &F64]);
                format!("({} {operator} {})", self.expression(kind, depth), self.expression(kind, depth))
            }
            3 => format!("({} && {})", self.condition(depth), self.condition(depth)),
            4 => format!("({} || {})", self.condition(depth), self.condition(depth)),
            _ => {
                let kind = Kind::any(&mut self.random);
                format!("!{}", self.expression(kind, depth))
            }
        }
    }

    /// A variable or a constant.
    fn leaf(&mut self, kind: Kind, depth: u32) -> String {
        if self.random.chance(1, 3) {
            return format!("({})", self.literal(kind));
        }
        match self.place(depth, false) {
            None => format!("({})", self.literal(kind)),
            Some((text, from)) if from.float() && !kind.float() => {
                let function = if kind.signed() { "to_signed" } else { "to_unsigned" };
                format!("(({}){function}({text}))", kind.name())
            }
            // The largest numbers of 128 bits do not fit into a float.
            Some((text, U128 | I128)) if kind.float() => format!("(({})(u64)({text}))", kind.name()),
            Some((text, _)) => format!("(({})({text}))", kind.name()),
        }
    }

    /// Something that holds a scalar, and its type.
    pub(super) fn place(&mut self, depth: u32, writable: bool) -> Option<(String, Kind)> {
        let candidates: Vec<usize> = (0..self.scope.variables.len())
            .filter(|&index| self.scope.variables[index].mutable || !writable)
            .collect();
        let chosen = *candidates.get(self.random.below(candidates.len() as u64) as usize)?;
        let name = self.scope.variables[chosen].name.clone();
        Some(match self.scope.variables[chosen].shape {
            Shape::Scalar(kind) => (name, kind),
            Shape::Pointer(kind) => (format!("*{name}"), kind),
            Shape::Array(kind, len) => {
                let index = self.index(len, depth);
                (format!("{name}[{index}]"), kind)
            }
            Shape::Table(kind, rows, columns) => {
                let (row, column) = (self.index(rows, depth), self.index(columns, depth));
                (format!("{name}[{row}][{column}]"), kind)
            }
            Shape::Struct(number) => {
                let fields = &self.structs[number].fields;
                let field = &fields[self.random.below(fields.len() as u64) as usize];
                (format!("{name}.{}", field.0), field.1)
            }
        })
    }

    /// A number below a power of two.
    fn index(&mut self, len: u32, depth: u32) -> String {
        if depth >= 3 || self.random.chance(1, 2) {
            return self.random.below(len.into()).to_string();
        }
        let kind = Kind::integer(&mut self.random);
        format!("{} & {}", self.expression(kind, depth + 1), len - 1)
    }

    /// The address of a scalar that lives as long as the program, and its type.
    pub(super) fn target(&mut self) -> Option<(String, Kind)> {
        let wanted = |shape: Shape| matches!(shape, Shape::Scalar(_) | Shape::Array(..) | Shape::Table(..));
        let candidates: Vec<usize> = (0..self.scope.variables.len())
            .filter(|&index| {
                let variable = &self.scope.variables[index];
                variable.global && variable.mutable && wanted(variable.shape)
            })
            .collect();
        let chosen = *candidates.get(self.random.below(candidates.len() as u64) as usize)?;
        let name = self.scope.variables[chosen].name.clone();
        Some(match self.scope.variables[chosen].shape {
            Shape::Array(kind, len) => (format!("&{name}[{}]", self.random.below(len.into())), kind),
            Shape::Table(kind, rows, columns) => {
                let (row, column) = (self.random.below(rows.into()), self.random.below(columns.into()));
                (format!("&{name}[{row}][{column}]"), kind)
            }
            Shape::Scalar(kind) | Shape::Pointer(kind) => (format!("&{name}"), kind),
            Shape::Struct(_) => unreachable!("not a candidate"),
        })
    }

    /// The address of a scalar of this type.
    fn address(&mut self, kind: Kind) -> String {
        for _ in 0..4 {
            if let Some((text, found)) = self.target()
                && found == kind
            {
                return text;
            }
        }
        // A fresh object lives until the end of the block around the call.
        format!("&({}){{{}}}", kind.name(), self.literal(kind))
    }

    fn scalar_function(&mut self) -> Option<(usize, Kind)> {
        let number = self.random.below(self.functions.len() as u64) as usize;
        match self.functions.get(number)?.output {
            Output::Scalar(kind) if !kind.float() => Some((number, kind)),
            _ => None,
        }
    }

    /// A call of a generated function.
    pub(super) fn call(&mut self, number: usize, depth: u32) -> String {
        let params = self.functions[number].params.clone();
        let args: Vec<String> = params
            .iter()
            .map(|&shape| match shape {
                Shape::Scalar(kind) => self.expression(kind, depth + 1),
                Shape::Pointer(kind) => self.address(kind),
                Shape::Struct(number) => self.whole(number, depth + 1),
                Shape::Array(..) | Shape::Table(..) => unreachable!("no function takes them"),
            })
            .collect();
        format!("f{number}({})", args.join(", "))
    }

    /// A whole struct.
    pub(super) fn whole(&mut self, number: usize, depth: u32) -> String {
        let variables = self.scope.variables.iter();
        let candidates: Vec<String> = variables
            .filter(|variable| variable.shape == Shape::Struct(number))
            .map(|variable| variable.name.clone())
            .collect();
        if !candidates.is_empty() && self.random.chance(2, 3) {
            return candidates[self.random.below(candidates.len() as u64) as usize].clone();
        }
        let callee = self.random.below(self.functions.len() as u64) as usize;
        if depth < 2
            && let Some(function) = self.functions.get(callee)
            && function.output == Output::Struct(number)
        {
            return self.call(callee, depth + 1);
        }
        let kinds: Vec<Kind> = self.structs[number].fields.iter().map(|field| field.1).collect();
        let values: Vec<String> = kinds.iter().map(|&kind| self.expression(kind, depth + 2)).collect();
        format!("(struct S{number}){{{}}}", values.join(", "))
    }

    /// A call with variable arguments.
    fn gather(&mut self, depth: u32) -> String {
        let (mut kinds, mut args) = (String::new(), String::new());
        for _ in 0..self.random.below(12) {
            let (kind, arg) = match self.random.below(6) {
                0 => ('l', self.leaf(I64, depth + 1)),
                1 => ('d', self.leaf(F64, depth + 1)),
                2 => (
                    'p',
                    format!("(struct Pair){{{}, {}}}", self.leaf(I64, depth + 1), self.leaf(F32, depth + 1)),
                ),
                3 => ('s', format!("\"{}\"", self.random.pick(&["", "a", "some text", "\\377\\001"]))),
                _ => ('i', self.leaf(I32, depth + 1)),
            };
            kinds.push(kind);
            push(&mut args, format_args!(", {arg}"));
        }
        format!("gather(\"{kinds}\"{args})")
    }
}

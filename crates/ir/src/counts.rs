//! How big a program is, for `--stats`.

use crate::function::{Body, Def};
use crate::program::Program;
use std::ops::AddAssign;

/// Numbers of things. Instructions are those that stand in blocks; terminators are not among them.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub units: usize,
    /// Functions, declared ones included.
    pub functions: usize,
    /// Functions with a body.
    pub defined: usize,
    pub globals: usize,
    pub blocks: usize,
    pub insts: usize,
    pub phis: usize,
    pub calls: usize,
    /// Values of all bodies, constants included.
    pub values: usize,
    pub constants: usize,
    /// Instructions and terminators that know where they come from.
    pub placed: usize,
    pub variables: usize,
}

impl Counts {
    /// The counts of a whole program.
    pub fn of(program: &Program) -> Counts {
        let mut counts = Counts {
            units: program.units.len(),
            functions: program.functions.len(),
            globals: program.globals.len(),
            ..Counts::default()
        };
        for body in program.functions.values().filter_map(|function| function.body.as_ref()) {
            counts += Counts::of_body(body);
        }
        counts
    }

    /// The counts of one body.
    pub fn of_body(body: &Body) -> Counts {
        let mut counts = Counts {
            defined: 1,
            blocks: body.blocks.len(),
            values: body.values.len(),
            variables: body.variables.len(),
            ..Counts::default()
        };
        counts.constants = body.values.values().filter(|value| matches!(value.def, Def::Const(_))).count();
        for (block, entry) in body.blocks.iter() {
            counts.placed += usize::from(entry.term_place.is_some());
            for (_, inst) in body.block_insts(block) {
                counts.insts += 1;
                counts.placed += usize::from(inst.place.is_some());
                match inst.op {
                    crate::Op::Phi { .. } => counts.phis += 1,
                    crate::Op::Call(_) => counts.calls += 1,
                    _ => {}
                }
            }
        }
        counts
    }

    /// Every count with its name, in order.
    pub fn entries(&self) -> [(&'static str, usize); 12] {
        [
            ("units", self.units),
            ("functions", self.functions),
            ("defined", self.defined),
            ("globals", self.globals),
            ("blocks", self.blocks),
            ("instructions", self.insts),
            ("phis", self.phis),
            ("calls", self.calls),
            ("values", self.values),
            ("constants", self.constants),
            ("placed", self.placed),
            ("variables", self.variables),
        ]
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        let Counts {
            units,
            functions,
            defined,
            globals,
            blocks,
            insts,
            phis,
            calls,
            values,
            constants,
            placed,
            variables,
        } = other;
        self.units += units;
        self.functions += functions;
        self.defined += defined;
        self.globals += globals;
        self.blocks += blocks;
        self.insts += insts;
        self.phis += phis;
        self.calls += calls;
        self.values += values;
        self.constants += constants;
        self.placed += placed;
        self.variables += variables;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[test]
    fn everything_is_counted_once() {
        let text = "
unit unit0 \"a.c\" {
  file file0 \"/src/a.c\"
}
declare @g(i32)
func @f(%v0: i1) {
bb0:
  branch %v0, bb1, bb1 !1:1
bb1:
  %v1: i32 = phi [bb0: i32 5]
  call @g(%v1) !2:1
  return
}
";
        let counts = Counts::of(&parse("a.ir", text).unwrap());
        let expected = Counts {
            units: 1,
            functions: 2,
            defined: 1,
            globals: 0,
            blocks: 2,
            insts: 2,
            phis: 1,
            calls: 1,
            values: 3,
            constants: 1,
            placed: 2,
            variables: 0,
        };
        assert_eq!(counts, expected);
    }
}

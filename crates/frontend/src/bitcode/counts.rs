//! Counts of what a module holds, to compare with what LLVM's own tools say about the same file.
//!
//! In: the [`Module`]s of a file. Out: [`Counts`], which print one fact per line in a fixed order. Nothing may be lost
//! on the way from the file: where a count differs from LLVM's, the reader is wrong.

use std::collections::BTreeMap;
use std::fmt;

use super::body::DebugRecordKind;
use super::error::Error;
use super::module::Module;

/// Numbers of functions, blocks, instructions and debug locations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub defined: u64,
    pub declared: u64,
    pub global_variables: u64,
    pub aliases: u64,
    pub ifuncs: u64,
    pub blocks: u64,
    /// By LLVM's name of the operation.
    pub instructions: BTreeMap<&'static str, u64>,
    /// Instructions with a debug location.
    pub located: u64,
    /// By kind.
    pub debug_records: BTreeMap<&'static str, u64>,
}

impl Counts {
    /// Decodes every function of the modules, one at a time, and counts.
    pub fn of(modules: &[Module<'_>]) -> Result<Self, Error> {
        let mut counts = Self::default();
        for module in modules {
            counts.add(module)?;
        }
        Ok(counts)
    }

    fn add(&mut self, module: &Module<'_>) -> Result<(), Error> {
        let counts = self;
        counts.global_variables += module.global_variables().len() as u64;
        counts.aliases += module.aliases().len() as u64;
        counts.ifuncs += module.ifuncs().len() as u64;
        for (id, function) in module.functions() {
            if function.is_declaration {
                counts.declared += 1;
                continue;
            }
            counts.defined += 1;
            let body = module.function_body(id)?;
            counts.blocks += body.blocks().len() as u64;
            for instruction in &body.instructions {
                *counts.instructions.entry(instruction.kind.opcode()).or_default() += 1;
                counts.located += u64::from(instruction.location.is_some());
            }
            for record in &body.debug_records {
                let kind = match record.kind {
                    DebugRecordKind::Declare { .. } => "dbg_declare",
                    DebugRecordKind::Value { .. } => "dbg_value",
                    DebugRecordKind::DeclareValue { .. } => "dbg_declare_value",
                    DebugRecordKind::Assign { .. } => "dbg_assign",
                    DebugRecordKind::Label { .. } => "dbg_label",
                };
                *counts.debug_records.entry(kind).or_default() += 1;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "defined {}", self.defined)?;
        writeln!(f, "declared {}", self.declared)?;
        writeln!(f, "global_variables {}", self.global_variables)?;
        writeln!(f, "aliases {}", self.aliases)?;
        writeln!(f, "ifuncs {}", self.ifuncs)?;
        writeln!(f, "blocks {}", self.blocks)?;
        writeln!(f, "located {}", self.located)?;
        for (name, count) in self.instructions.iter().chain(&self.debug_records) {
            writeln!(f, "{name} {count}")?;
        }
        Ok(())
    }
}

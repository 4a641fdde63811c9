//! The whole program: functions, globals, units, and what went wrong while joining them.

use crate::debug::DebugInfo;
use crate::function::{Function, Linkage};
use crate::ids::{AggId, BlockId, DebugTypeId, FileId, FuncId, GlobalId, Id, NameId, Table, UnitId};
use crate::types::Aggregate;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// A program, a library, or a single unit: whatever was given together.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    pub target: Target,
    pub units: Table<UnitId, Unit>,
    pub functions: Table<FuncId, Function>,
    pub globals: Table<GlobalId, Global>,
    pub aggregates: Table<AggId, Aggregate>,
    /// Other names for functions and globals (`__attribute__((alias))`), in order of appearance.
    pub aliases: Vec<(Box<str>, Symbol)>,
    /// What was tolerated or left out, for people to read.
    pub problems: Vec<Problem>,
}

/// The machine the program is compiled for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    pub triple: Box<str>,
    pub pointer_bits: u32,
    pub endian: Endian,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Endian {
    Little,
    Big,
}

impl Default for Target {
    fn default() -> Self {
        Target { triple: "x86_64-unknown-linux-gnu".into(), pointer_bits: 64, endian: Endian::Little }
    }
}

/// A translation unit.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unit {
    /// The source file as the user or the build named it.
    pub name: Box<str>,
    pub debug: DebugInfo,
}

/// A global variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Global {
    pub name: Box<str>,
    pub unit: UnitId,
    pub linkage: Linkage,
    pub bytes: u64,
    pub align: u32,
    /// Never written after start-up.
    pub constant: bool,
    pub thread_local: bool,
    /// First contents; absent when only declared.
    pub image: Option<Image>,
    pub debug_type: Option<DebugTypeId>,
    pub place: Option<(FileId, u32)>,
    /// The name in the source, which differs from `name` for statics in functions.
    pub source_name: Option<NameId>,
}

/// First contents of a global: bytes, with addresses to be filled in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Image {
    /// Trailing zeros are left out; the rest of the global is zero.
    pub bytes: Vec<u8>,
    /// In ascending order of offset.
    pub relocations: Vec<Relocation>,
}

/// At `offset`, a number of `bytes` bytes: the address of `target`, plus `addend`, minus the address of
/// `minus` if present (label differences).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Relocation {
    pub offset: u64,
    pub bytes: u8,
    pub target: Symbol,
    pub addend: i64,
    pub minus: Option<Symbol>,
}

/// Something with an address that is fixed before the program runs.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Symbol {
    Func(FuncId),
    Global(GlobalId),
    Label(FuncId, BlockId),
}

/// Something tolerated or left out while a program was built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The unit or file it is about.
    pub subject: Box<str>,
    /// Lower case, no final dot.
    pub message: Box<str>,
}

impl Program {
    /// The function that a call to `name` from another unit reaches, by linear search; build a map when
    /// asking often.
    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        let candidates = || self.functions.iter().filter(|(_, function)| &*function.name == name);
        candidates()
            .find(|(_, function)| function.body.is_some())
            .or_else(|| candidates().next())
            .map(|(id, _)| id)
    }
    /// The debug information that names and places of `function` refer to.
    pub fn debug(&self, function: FuncId) -> &DebugInfo {
        &self.units[self.functions[function].unit].debug
    }
    /// Functions that have a body.
    pub fn defined(&self) -> impl Iterator<Item = FuncId> + '_ {
        self.functions.iter().filter(|(_, function)| function.body.is_some()).map(|(id, _)| id)
    }
}

/// Interned strings in one buffer.
#[derive(Clone, Debug, Default)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
    /// A hash table of the names that are there: each slot holds one or none, and a name is in the first free
    /// slot from the one its hash says. A power of two, at most half full, or empty when frozen.
    slots: Vec<Option<NameId>>,
}

impl PartialEq for Names {
    fn eq(&self, other: &Names) -> bool {
        self.text == other.text && self.ends == other.ends
    }
}

impl Names {
    pub fn intern(&mut self, name: &str) -> NameId {
        if self.slots.len() <= self.ends.len() * 2 {
            self.rehash();
        }
        let slot = self.find(name);
        if let Some(id) = self.slots[slot] {
            return id;
        }
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).expect("names of a unit stay below 4 GB"));
        let id = NameId::new(self.ends.len() - 1);
        self.slots[slot] = Some(id);
        id
    }
    /// The slot that holds `name`, or where it belongs.
    fn find(&self, name: &str) -> usize {
        let mut hasher = FxHasher::default();
        hasher.write(name.as_bytes());
        let mask = self.slots.len() - 1;
        let mut slot = hasher.finish() as usize & mask;
        while let Some(id) = self.slots[slot]
            && self.get(id) != name
        {
            slot = (slot + 1) & mask;
        }
        slot
    }
    fn rehash(&mut self) {
        self.slots.clear();
        self.slots.resize((self.ends.len() * 4).next_power_of_two().max(64), None);
        for id in (0..self.ends.len()).map(NameId::new) {
            let slot = self.find(self.get(id));
            self.slots[slot] = Some(id);
        }
    }
    #[inline]
    pub fn get(&self, id: NameId) -> &str {
        let index = id.index();
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.text[start..self.ends[index] as usize]
    }
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
    /// Forgets the look-up index and spare room, when no more will be interned.
    pub fn freeze(&mut self) {
        self.slots = Vec::new();
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

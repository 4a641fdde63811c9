//! Gives functions and globals their addresses and first contents, and says who a call reaches.
//!
//! Names are resolved as a linker would: a declaration reaches the definition of that name in another
//! unit or an alias for it; failing that, the small library; failing that, nothing, which is an error
//! only when the program gets there.

use crate::libc::{self, Library, Native};
use crate::memory::{Memory, Spacing};
use crate::translate::Statics;
use crate::trap::{Fault, ObjectKind, TrapKind};
use rustc_hash::FxHashMap;
use watertight_ir::{FuncId, GlobalId, Id, Linkage, Program, Relocation, Symbol};

/// What a call to a function runs.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Resolved {
    Body(FuncId),
    Native(Native),
    Missing,
}

/// The statics of a program in memory.
#[derive(Debug)]
pub(crate) struct Images {
    pub(crate) statics: Statics,
    resolved: Vec<Resolved>,
}

impl Images {
    #[inline]
    pub(crate) fn resolve(&self, function: FuncId) -> Resolved {
        self.resolved[function.index()]
    }

    /// Lays out all statics and fills them in.
    pub(crate) fn place(program: &Program, memory: &mut Memory, library: &Library) -> Result<Images, Fault> {
        let names = Names::collect(program);
        let full = || Box::new(TrapKind::Unsupported("more statics than the address space holds".into()));
        let mut statics =
            Statics { globals: vec![0; program.globals.len()], functions: vec![0; program.functions.len()] };
        let mut resolved = Vec::with_capacity(program.functions.len());
        for (id, function) in program.functions.iter() {
            let reached = match (names.function(program, id), libc::find(linker_name(&function.name))) {
                (Some(body), _) => Resolved::Body(body),
                (None, Some(native)) => Resolved::Native(native),
                (None, None) => Resolved::Missing,
            };
            // A weak declaration that nobody defines has the address null, which programs test for.
            if !(matches!(reached, Resolved::Missing) && function.linkage == Linkage::ExternWeak) {
                let blocks = function.body.as_ref().map_or(0, |body| body.blocks.len());
                let address = memory.push_opaque(blocks as u64 + 1, ObjectKind::Function(id));
                statics.functions[id.index()] = address.ok_or_else(full)?;
            }
            resolved.push(reached);
        }
        // A declaration and its definition are one function and compare equal.
        for (index, reached) in resolved.iter().enumerate() {
            if let Resolved::Body(body) = reached {
                statics.functions[index] = statics.functions[body.index()];
            }
        }
        for (id, global) in program.globals.iter() {
            let kind = ObjectKind::Global(id);
            let provided = library.global(linker_name(&global.name));
            let unknown = memory.asks() && names.global(program, id).is_none() && provided.is_none();
            let address = if global.image.is_some() || global.linkage == Linkage::Common {
                memory.push_static(global.bytes, global.align.into(), kind, !global.constant)
            } else if names.global(program, id).is_some() {
                Some(0)
            } else if let Some(provided) = provided {
                Some(provided)
            } else if global.linkage == Linkage::ExternWeak {
                Some(0)
            } else if unknown {
                // Somebody outside defines it: it has contents, of which nothing is known.
                memory.push_static(global.bytes.max(64), 16, kind, true)
            } else {
                memory.push_opaque(global.bytes.max(1), kind)
            };
            statics.globals[id.index()] = address.ok_or_else(full)?;
        }
        for id in program.globals.ids() {
            if let Some(definition) = names.global(program, id) {
                statics.globals[id.index()] = statics.globals[definition.index()];
            }
        }
        for (id, global) in program.globals.iter() {
            let Some(image) = &global.image else { continue };
            let start = statics.globals[id.index()];
            let length = image.bytes.len().min(usize::try_from(global.bytes).unwrap_or(usize::MAX));
            memory.initialise(start, &image.bytes[..length])?;
            for relocation in &image.relocations {
                let minus = relocation.minus.map_or(0, |symbol| address_of(&statics, symbol));
                let value = address_of(&statics, relocation.target)
                    .wrapping_add(relocation.addend as u64)
                    .wrapping_sub(minus);
                let mut bytes = value.to_le_bytes();
                let used = usize::from(relocation.bytes).min(8);
                if memory.endian == watertight_ir::Endian::Big {
                    bytes[..used].reverse();
                }
                memory.initialise(start.wrapping_add(relocation.offset), &bytes[..used])?;
            }
        }
        // What a variable holds when a function in the midst of the program is entered is for others to say.
        for (id, global) in program.globals.iter().filter(|(_, global)| !global.constant) {
            let start = statics.globals[id.index()];
            if memory.asks() && matches!(memory.object_at(start), Some((ObjectKind::Global(_), ..))) {
                memory.forget(start, global.bytes);
            }
        }
        Ok(Images { statics, resolved })
    }
}

/// Statics must be near each other if the program keeps the distance of two of them in a short number.
pub(crate) fn spacing(program: &Program) -> Spacing {
    let owner = |symbol: Symbol| match symbol {
        Symbol::Label(function, _) => Symbol::Func(function),
        other => other,
    };
    let is_short = |relocation: &Relocation| {
        let distance = relocation.minus.is_some_and(|minus| owner(minus) != owner(relocation.target));
        distance && u32::from(relocation.bytes) * 8 < program.target.pointer_bits
    };
    let mut relocations =
        program.globals.values().flat_map(|global| global.image.iter().flat_map(|image| &image.relocations));
    if relocations.any(is_short) { Spacing::Near } else { Spacing::Far }
}

/// The address of a symbol; a label lies in the code of its function.
fn address_of(statics: &Statics, symbol: Symbol) -> u64 {
    match symbol {
        Symbol::Func(function) => statics.functions.get(function.index()).copied().unwrap_or(0),
        Symbol::Global(global) => statics.globals.get(global.index()).copied().unwrap_or(0),
        Symbol::Label(function, block) => statics.label(function, block),
    }
}

/// The name as the linker sees it: a leading byte 1 tells the compiler not to decorate it.
fn linker_name(name: &str) -> &str {
    name.strip_prefix('\u{1}').unwrap_or(name)
}

/// Definitions that other units see, by name.
struct Names<'p> {
    symbols: FxHashMap<&'p str, Symbol>,
}

impl<'p> Names<'p> {
    fn collect(program: &'p Program) -> Names<'p> {
        let mut symbols = FxHashMap::default();
        // Strong definitions win over weak ones, whichever comes first.
        for weak in [false, true] {
            let wanted = |linkage: Linkage| match linkage {
                Linkage::External | Linkage::Common => !weak,
                Linkage::Weak | Linkage::LinkOnce | Linkage::AvailableExternally => weak,
                Linkage::Internal | Linkage::ExternWeak => false,
            };
            for (id, function) in program.functions.iter() {
                if function.body.is_some() && wanted(function.linkage) {
                    symbols.entry(linker_name(&function.name)).or_insert(Symbol::Func(id));
                }
            }
            for (id, global) in program.globals.iter() {
                if global.image.is_some() && wanted(global.linkage) {
                    symbols.entry(linker_name(&global.name)).or_insert(Symbol::Global(id));
                }
            }
        }
        for (name, symbol) in &program.aliases {
            symbols.entry(linker_name(name)).or_insert(*symbol);
        }
        Names { symbols }
    }

    /// The function with a body that a call to `id` reaches.
    fn function(&self, program: &Program, id: FuncId) -> Option<FuncId> {
        let function = &program.functions[id];
        if function.body.is_some() && function.linkage != Linkage::AvailableExternally {
            return Some(id);
        }
        match self.symbols.get(linker_name(&function.name)) {
            Some(&Symbol::Func(target))
                if program.functions.get(target).is_some_and(|f| f.body.is_some()) =>
            {
                Some(target)
            }
            _ => None,
        }
    }

    /// The definition elsewhere that a declared global stands for.
    fn global(&self, program: &Program, id: GlobalId) -> Option<GlobalId> {
        let global = &program.globals[id];
        if global.image.is_some() || global.linkage == Linkage::Common {
            return None;
        }
        match self.symbols.get(linker_name(&global.name)) {
            Some(&Symbol::Global(target)) if target != id => Some(target),
            _ => None,
        }
    }
}

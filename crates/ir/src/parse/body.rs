//! Reads the body of a function: variables, labels, and the numbering of values at its end.

use super::cursor::shorten;
use super::lexer::Kind;
use super::{Fault, Parser, number_after};
use crate::debug::{Place, Variable};
use crate::function::{Block, Body, Const, Def, Function, Value};
use crate::ids::{BlockId, FileId, Id, InstId, PlaceId, Table, UnitId, ValueId, VarId};
use crate::inst::{Inst, Op, Terminator};
use crate::types::Type;
use rustc_hash::FxHashMap;

/// The places of one body, each once.
#[derive(Debug, Default)]
pub(super) struct Places {
    places: Table<PlaceId, Place>,
    index: FxHashMap<Place, PlaceId>,
}

impl Places {
    fn intern(&mut self, place: Place) -> PlaceId {
        *self.index.entry(place).or_insert_with(|| self.places.push(place))
    }
}

impl Parser<'_> {
    /// Takes what follows `!`: `12:5`, `file1:12:5`, `3:1 in helper from 12:5`.
    pub(super) fn place(
        &mut self,
        places: &mut Places,
        unit: UnitId,
        usual: Option<FileId>,
    ) -> Result<PlaceId, Fault> {
        let mut chain = Vec::new();
        loop {
            let file = match self.cursor.kind() {
                Kind::Word(_) => {
                    let file = self.file_reference(unit)?;
                    self.cursor.mark(":")?;
                    file
                }
                _ => match usual {
                    Some(file) => file,
                    None => self.usual_file(unit)?,
                },
            };
            let line = self.cursor.u32("a line")?;
            self.cursor.mark(":")?;
            let column = self.cursor.u32("a column")?;
            let mut inlined_function = None;
            if self.cursor.is_word("in") && !self.cursor.at_line_start() {
                self.cursor.advance()?;
                let name = self.cursor.name("the name of the inlined function")?;
                inlined_function = Some(self.intern(unit, &name));
            }
            chain.push(Place { file, line, column, inlined_function, inlined_at: None });
            if !self.cursor.is_word("from") || self.cursor.at_line_start() {
                break;
            }
            self.cursor.advance()?;
        }
        let outermost_first = chain.into_iter().rev();
        let innermost = outermost_first
            .fold(None, |outer, place| Some(places.intern(Place { inlined_at: outer, ..place })));
        Ok(innermost.expect("the loop pushes at least one place"))
    }
}

/// A value while its body is read; it gets its final number at the end.
#[derive(Debug)]
struct Pending {
    /// Where it was first mentioned.
    at: usize,
    ty: Option<Type>,
    def: Option<Def>,
    /// The number it asks for by its name.
    wanted: Option<usize>,
}

/// A label while its body is read.
#[derive(Debug)]
struct PendingBlock<'t> {
    at: usize,
    name: &'t str,
    defined: Option<BlockId>,
}

/// Reads one body. Values and blocks have provisional ids, in order of mention, until `finish`.
#[derive(Debug)]
pub(super) struct BodyParser<'p, 't> {
    pub(super) parser: &'p mut Parser<'t>,
    unit: UnitId,
    usual: Option<FileId>,
    params: usize,
    places: Places,
    variables: Table<VarId, Variable>,
    variable_names: FxHashMap<&'t str, VarId>,
    values: Table<ValueId, Pending>,
    value_names: FxHashMap<&'t str, ValueId>,
    constants: FxHashMap<(Type, Const), ValueId>,
    labels: Table<BlockId, PendingBlock<'t>>,
    label_names: FxHashMap<&'t str, BlockId>,
    insts: Table<InstId, Inst>,
    blocks: Table<BlockId, Block>,
    /// Case values written with a minus sign: block and number of the case.
    pub(super) negative_cases: Vec<(BlockId, usize)>,
}

impl<'p, 't> BodyParser<'p, 't> {
    pub(super) fn new(
        parser: &'p mut Parser<'t>,
        function: &Function,
        param_names: Vec<(usize, &'t str)>,
        places: Places,
    ) -> Result<BodyParser<'p, 't>, Fault> {
        let usual = function.place.and_then(|place| places.places.get(place)).map(|place| place.file);
        let mut values = Table::with_capacity(param_names.len());
        let mut value_names = FxHashMap::default();
        for (index, ((at, name), param)) in param_names.into_iter().zip(&function.params).enumerate() {
            let def = Some(Def::Param(index as u32));
            let id = values.push(Pending { at, ty: Some(param.ty), def, wanted: Some(index) });
            if value_names.insert(name, id).is_some() {
                return Err(Fault::new(at, format!("`%{}` is defined twice", shorten(name))));
            }
        }
        Ok(BodyParser {
            parser,
            unit: function.unit,
            usual,
            params: values.len(),
            places,
            variables: Table::new(),
            variable_names: FxHashMap::default(),
            values,
            value_names,
            constants: FxHashMap::default(),
            labels: Table::new(),
            label_names: FxHashMap::default(),
            insts: Table::new(),
            blocks: Table::new(),
            negative_cases: Vec::new(),
        })
    }

    /// Takes everything between the braces.
    pub(super) fn body(mut self) -> Result<Body, Fault> {
        self.parser.cursor.mark("{")?;
        while self.parser.cursor.is_word("var") && self.parser.cursor.next_kind() != Kind::Mark(":") {
            self.variable()?;
        }
        while !self.parser.cursor.is_mark("}") {
            self.block()?;
        }
        self.parser.cursor.mark("}")?;
        self.finish()
    }

    /// `var var0 = list: ty3 param 0 home %v2 !10:7`
    fn variable(&mut self) -> Result<(), Fault> {
        self.parser.cursor.advance()?;
        let at = self.parser.cursor.at();
        let label = self.parser.cursor.word("a variable number like `var0`")?;
        self.parser.cursor.mark("=")?;
        let name = self.parser.cursor.name("the name of the variable")?;
        let name = self.parser.intern(self.unit, &name);
        self.parser.cursor.mark(":")?;
        let ty = self.parser.debug_type_reference(self.unit)?;
        let mut variable = Variable { name, ty, place: None, parameter: None, home: None };
        if self.continues_with("param")? {
            variable.parameter = Some(self.parser.cursor.u32("a parameter number")?);
        }
        if self.continues_with("home")? {
            variable.home = Some(self.operand()?);
        }
        variable.place = self.optional_place()?;
        let id = self.variables.push(variable);
        if self.variable_names.insert(label, id).is_some() {
            return Err(Fault::new(at, format!("the variable `{}` is defined twice", shorten(label))));
        }
        Ok(())
    }

    /// Takes the word if it stands on the same line.
    pub(super) fn continues_with(&mut self, word: &str) -> Result<bool, Fault> {
        if self.parser.cursor.at_line_start() { Ok(false) } else { self.parser.cursor.eat_word(word) }
    }

    pub(super) fn optional_place(&mut self) -> Result<Option<PlaceId>, Fault> {
        if !self.parser.cursor.eat_mark("!")? {
            return Ok(None);
        }
        self.parser.place(&mut self.places, self.unit, self.usual).map(Some)
    }

    /// A label and all instructions up to the terminator.
    fn block(&mut self) -> Result<(), Fault> {
        let at = self.parser.cursor.at();
        let (Kind::Word(name), Kind::Mark(":")) = (self.parser.cursor.kind(), self.parser.cursor.next_kind())
        else {
            return Err(self.parser.cursor.unexpected("a label like `bb0:`"));
        };
        self.parser.cursor.advance()?;
        self.parser.cursor.advance()?;
        let label = self.label_named(name, at);
        if self.labels[label].defined.is_some() {
            return Err(Fault::new(at, format!("the label `{}` is defined twice", shorten(name))));
        }
        let id = self.blocks.next_id();
        self.labels[label].defined = Some(id);
        let mut insts = Vec::new();
        loop {
            if !self.parser.cursor.at_line_start() {
                return Err(self.parser.cursor.unexpected("an instruction on a line of its own"));
            }
            if let Some(term) = self.terminator(id)? {
                let term_place = self.optional_place()?;
                self.blocks.push(Block { insts, term, term_place });
                return Ok(());
            }
            let inst = self.inst()?;
            insts.push(self.insts.push(inst));
        }
    }

    fn label_named(&mut self, name: &'t str, at: usize) -> BlockId {
        let labels = &mut self.labels;
        *self.label_names.entry(name).or_insert_with(|| labels.push(PendingBlock { at, name, defined: None }))
    }

    /// Takes a reference to a label.
    pub(super) fn label(&mut self) -> Result<BlockId, Fault> {
        let at = self.parser.cursor.at();
        let name = self.parser.cursor.word("a label like `bb0`")?;
        Ok(self.label_named(name, at))
    }

    pub(super) fn variable_reference(&mut self) -> Result<VarId, Fault> {
        let Kind::Word(name) = self.parser.cursor.kind() else {
            return Err(self.parser.cursor.unexpected("a variable like `var0`"));
        };
        let Some(&variable) = self.variable_names.get(name) else {
            return Err(self.parser.cursor.unexpected("a variable of this function"));
        };
        self.parser.cursor.advance()?;
        Ok(variable)
    }

    fn value_named(&mut self, name: &'t str, at: usize) -> ValueId {
        let values = &mut self.values;
        *self.value_names.entry(name).or_insert_with(|| {
            values.push(Pending { at, ty: None, def: None, wanted: number_after(name, "v") })
        })
    }

    /// The value that the next instruction defines.
    pub(super) fn define(&mut self, name: &'t str, at: usize) -> Result<ValueId, Fault> {
        let value = self.value_named(name, at);
        let pending = &mut self.values[value];
        if pending.def.is_some() {
            return Err(Fault::new(at, format!("`%{}` is defined twice", shorten(name))));
        }
        pending.def = Some(Def::Inst(self.insts.next_id()));
        Ok(value)
    }

    pub(super) fn set_type(&mut self, value: ValueId, ty: Type) {
        self.values[value].ty = Some(ty);
    }

    /// The type of a value, when its definition was read before.
    pub(super) fn known_type(&self, value: ValueId) -> Option<Type> {
        self.values[value].ty
    }

    /// Takes a value or a constant.
    pub(super) fn operand(&mut self) -> Result<ValueId, Fault> {
        let at = self.parser.cursor.at();
        match self.parser.cursor.kind() {
            Kind::Value(name) => {
                self.parser.cursor.advance()?;
                Ok(self.value_named(name, at))
            }
            Kind::Word(word) if self.parser.symbols.type_named(word).is_some() => {
                let ty = self.parser.ty()?;
                let constant = self.parser.constant(ty)?;
                let values = &mut self.values;
                Ok(*self.constants.entry((ty, constant)).or_insert_with_key(|(ty, constant)| {
                    let def = Some(Def::Const(constant.clone()));
                    values.push(Pending { at, ty: Some(*ty), def, wanted: None })
                }))
            }
            _ => Err(self.parser.cursor.unexpected("a value like `%v0` or a constant like `i32 5`")),
        }
    }

    /// Checks that everything mentioned is defined, and gives final numbers.
    fn finish(mut self) -> Result<Body, Fault> {
        for label in self.labels.values() {
            if label.defined.is_none() {
                let name = shorten(label.name);
                return Err(Fault::new(label.at, format!("there is no label `{name}` in this function")));
            }
        }
        let undefined = |pending: &&Pending| pending.def.is_none() || pending.ty.is_none();
        if let Some(pending) = self.values.values().find(undefined) {
            return Err(Fault::new(pending.at, "this value is used, but nothing defines it"));
        }
        let numbers = self.number_values()?;
        let block = |provisional: BlockId| self.labels[provisional].defined.unwrap_or(provisional);
        for inst in self.insts.values_mut() {
            inst.op.operands_mut(|value| *value = numbers[*value]);
            inst.result = inst.result.map(|result| numbers[result]);
            if let Op::Phi { incoming } = &mut inst.op {
                incoming.iter_mut().for_each(|(source, _)| *source = block(*source));
            }
        }
        for &(owner, case) in &self.negative_cases {
            if let Terminator::Switch { value, cases, .. } = &mut self.blocks[owner].term
                && let Some(Type::Int(width @ 1..=127)) = self.values[*value].ty
            {
                cases[case].0 &= (1 << width) - 1;
            }
        }
        for entry in self.blocks.values_mut() {
            entry.term.operands_mut(|value| *value = numbers[*value]);
            map_targets(&mut entry.term, block);
        }
        for variable in self.variables.values_mut() {
            variable.home = variable.home.map(|home| numbers[home]);
        }
        let length = numbers.values().map(|number| number.index() + 1).max().unwrap_or(0);
        // Numbers that nothing has are taken by a constant that nothing uses.
        let filler = Value { ty: Type::BOOL, def: Def::Const(Const::Undef) };
        let mut values = Table::filled(length, filler);
        for (pending, &number) in self.values.into_values().zip(numbers.values()) {
            if let (Some(ty), Some(def)) = (pending.ty, pending.def) {
                values[number] = Value { ty, def };
            }
        }
        Ok(Body {
            blocks: self.blocks,
            insts: self.insts,
            values,
            places: self.places.places,
            variables: self.variables,
        })
    }

    /// The final number of each value: parameters first, then `%v7` gets 7 unless it is taken, and all
    /// others fill the gaps in order of mention.
    fn number_values(&mut self) -> Result<Table<ValueId, ValueId>, Fault> {
        let wanted = |pending: &Pending| match pending.def {
            Some(Def::Const(_)) => None,
            _ => pending.wanted,
        };
        let length = self.values.values().filter_map(wanted).map(|number| number + 1).max().unwrap_or(0);
        let gaps = length.saturating_sub(self.values.len());
        let at = self.parser.cursor.at();
        self.parser.spend(at, gaps as u64 * size_of::<Value>() as u64)?;
        let mut taken = vec![false; length.max(self.values.len())];
        let unnumbered = ValueId::new(u32::MAX as usize - 2);
        let mut numbers: Table<ValueId, ValueId> = Table::filled(self.values.len(), unnumbered);
        for (id, pending) in self.values.iter() {
            if let Some(number) = wanted(pending)
                && (number >= self.params || id.index() < self.params)
                && !std::mem::replace(&mut taken[number], true)
            {
                numbers[id] = ValueId::new(number);
            }
        }
        let mut free = 0;
        for number in numbers.values_mut().filter(|number| **number == unnumbered) {
            while taken.get(free) == Some(&true) {
                free += 1;
            }
            *number = ValueId::new(free);
            free += 1;
        }
        Ok(numbers)
    }
}

/// Replaces every target of a terminator.
fn map_targets(term: &mut Terminator, map: impl Fn(BlockId) -> BlockId) {
    match term {
        Terminator::Jump(target) => *target = map(*target),
        Terminator::Branch { then, other, .. } => {
            *then = map(*then);
            *other = map(*other);
        }
        Terminator::Switch { cases, default, .. } => {
            cases.iter_mut().for_each(|(_, target)| *target = map(*target));
            *default = map(*default);
        }
        Terminator::Indirect { targets, .. } | Terminator::Choose { targets } => {
            targets.iter_mut().for_each(|target| *target = map(*target));
        }
        Terminator::Invoke { normal, unwind } => {
            *normal = map(*normal);
            *unwind = map(*unwind);
        }
        Terminator::Return(_) | Terminator::Resume | Terminator::Unreachable => {}
    }
}

//! Probes: which statements of a function may lose a reference, and what is assumed of the cell at each.
//!
//! The paper's five kinds of points: assignments, allocations, the members of freed cells, variables that go out of scope,
//! and results that are assigned or dropped. For each the cell is the one that the reference refers to and that nothing
//! else refers to afterwards: `(pt(e0), {*e0}, {e1})`.

use crate::assign::Write;
use crate::expr::{Expr, ExprId, Points};
use crate::fact::{Cell, include};
use crate::lower::{Action, CallAction, End, Statements};
use crate::spell::spell;
use crate::tell::{place, place_of};
use crate::types::{Shape, TypeId};
use crate::verdict::{Assumed, Probe, ProbeKind};
use crate::walk::Point;
use crate::words::{Loses, Why};
use crate::world::World;
use std::collections::BTreeSet;
use std::rc::Rc;
use watertight_ir::{BlockId, FuncId, Id as _, InstId, Op, Type, ValueId};
use watertight_summary::{Effect, Path, Root, Value};

/// A probe that cannot even be put, and why.
pub(crate) type Refused = String;

impl World<'_> {
    /// All probes of a function.
    pub(crate) fn probes(&mut self, function: FuncId) -> Vec<Probe> {
        let Some(body) = self.body(function) else { return Vec::new() };
        let statements = self.statements(function);
        let mut found = Vec::new();
        for (index, block) in statements.blocks.iter().enumerate() {
            let block_id = BlockId::new(index);
            if !statements.cfg.is_reachable(block_id) {
                continue;
            }
            for (inst, action) in &block.actions {
                let at = place_of(self.program, function, *inst);
                let mut add = |kind, lost, index| {
                    let place = at.clone();
                    found.push(Probe {
                        function,
                        inst: Some(*inst),
                        block: block_id,
                        place,
                        kind,
                        lost,
                        index,
                        over: None,
                    });
                };
                match action {
                    Action::Assign { addr, value, ty: Type::Ptr }
                        if self.is_probed(*addr, body.insts[*inst].place.is_some()) =>
                    {
                        let kind = match self.acquired_by(*value) {
                            None => ProbeKind::Assignment,
                            Some(true) => ProbeKind::Allocation,
                            Some(false) => ProbeKind::AssignedResult,
                        };
                        let target = self.deref(*addr, Type::Ptr);
                        add(kind, spell(self, target), 0);
                    }
                    // A number that is written where a pointer may be.
                    Action::Assign { addr, ty, .. } | Action::Exchange { addr, ty, .. }
                        if *ty != Type::Ptr && self.hits_pointers(*addr, *ty) =>
                    {
                        let target = self.deref(*addr, Type::Ptr);
                        add(ProbeKind::Assignment, spell(self, target), 0);
                    }
                    Action::Exchange { addr, ty: Type::Ptr, .. } => {
                        let target = self.deref(*addr, Type::Ptr);
                        add(ProbeKind::Assignment, spell(self, target), 0);
                    }
                    Action::Copy { to, .. } | Action::Fill { to, .. } => {
                        for (index, target) in self.copied_members(action).into_iter().enumerate() {
                            let lost = target.map_or_else(
                                || Loses::HeldBy { holder: &spell(self, *to) }.to_string(),
                                |target| spell(self, target),
                            );
                            add(ProbeKind::Assignment, lost, index as u32);
                        }
                    }
                    Action::Unmodelled(what) => {
                        add(ProbeKind::Assignment, Loses::Before { what }.to_string(), 0);
                    }
                    Action::Call(call) => {
                        if self.may_jump(call) && self.has_variables(&statements) {
                            add(ProbeKind::Scope, Loses::AtJump.to_string(), 0);
                        }
                        if let Some(freed) = self.freed(call) {
                            match self.members(freed) {
                                Some(members) => {
                                    for (index, member) in members.into_iter().enumerate() {
                                        let lost = match member {
                                            Some(addr) => {
                                                let target = self.deref(addr, Type::Ptr);
                                                spell(self, target)
                                            }
                                            None => Loses::Element { array: &spell(self, freed) }.to_string(),
                                        };
                                        add(ProbeKind::Release, lost, index as u32);
                                    }
                                }
                                None => {
                                    let lost = Loses::HeldBy { holder: &spell(self, freed) }.to_string();
                                    add(ProbeKind::Release, lost, 0)
                                }
                            }
                        }
                        for (index, write) in self.library_writes(function, *inst, call).iter().enumerate() {
                            add(ProbeKind::Assignment, write.lost.clone(), index as u32);
                        }
                        if let Some(result) = call.result
                            && self.exprs.ty(result) == Type::Ptr
                            && self.is_dropped(function, result, &statements)
                        {
                            let lost = match call.callee {
                                Some(callee) => format!("{}(...)", self.program.functions[callee].name),
                                None => Loses::Result.to_string(),
                            };
                            // It is gone after its last use, if that is in sight.
                            let used = self.value_of(function, result);
                            let used = used.and_then(|used| self.last_use(function, used, &statements));
                            let used = used
                                .map(|used| used.0)
                                .filter(|used| body.blocks[block_id].insts.contains(used));
                            found.push(Probe {
                                function,
                                inst: Some(used.unwrap_or(*inst)),
                                block: block_id,
                                place: at.clone(),
                                kind: ProbeKind::DroppedResult,
                                lost,
                                index: inst.index() as u32,
                                over: None,
                            });
                        }
                    }
                    _ => {}
                }
            }
            if let End::Return(_) = block.end {
                let at = place(self.program, function, body.blocks[block_id].term_place);
                for (index, local) in statements.locals.iter().enumerate() {
                    let holding = self.symbol(local.addr).is_some_and(|symbol| self.is_holding(symbol));
                    let kept = self.is_pointer(local.ty) || holding || self.is_address_home(local.addr);
                    if local.is_asked && kept {
                        let target = self.deref(local.addr, Type::Ptr);
                        let lost = spell(self, target);
                        let (kind, index) = (ProbeKind::Scope, index as u32);
                        found.push(Probe {
                            function,
                            inst: None,
                            block: block_id,
                            place: at.clone(),
                            kind,
                            lost,
                            index,
                            over: None,
                        });
                    }
                }
            }
        }
        found
    }

    /// The same questions of its variables for each `return` alone, where several lead to one end of the function.
    pub(crate) fn returns(&mut self, function: FuncId) -> Vec<Probe> {
        let Some(body) = self.body(function) else { return Vec::new() };
        let statements = self.statements(function);
        let ends = self.probes(function).into_iter().filter(|probe| probe.inst.is_none());
        let mut found = Vec::new();
        for end in ends {
            for &from in statements.cfg.predecessors(end.block) {
                let at = place(self.program, function, body.blocks[from].term_place);
                let goes_on = matches!(statements.blocks[from.index()].end, End::Goto);
                if goes_on && at.line != 0 && at.line != end.place.line {
                    found.push(Probe { place: at, over: Some(from), ..end.clone() });
                }
            }
        }
        found
    }

    /// What it rests on that writes of a function are not asked about.
    pub(crate) fn rests_on(&mut self, function: FuncId) -> BTreeSet<Assumed> {
        if self.body(function).is_none() {
            return BTreeSet::new();
        }
        let statements = self.statements(function);
        let outer = std::mem::take(&mut self.used);
        let bits = self.program.target.pointer_bits;
        for (_, action) in statements.blocks.iter().flat_map(|block| &block.actions) {
            let (addr, ty) = match action {
                Action::Assign { addr, ty, .. } | Action::Exchange { addr, ty, .. } if *ty != Type::Ptr => {
                    (*addr, *ty)
                }
                Action::Copy { to, .. } | Action::Fill { to, .. } => (*to, Type::Int(8)),
                // What a model writes ends where the object does.
                Action::Call(call) if self.writes_by_model(call) => {
                    self.used.extend([Assumed::Models, Assumed::TypedMemory, Assumed::InBounds]);
                    continue;
                }
                _ => continue,
            };
            if self.is_own_variable(function, addr) || self.hits_pointers(addr, ty) {
                continue;
            }
            self.used.insert(Assumed::TypedMemory);
            if self.exprs.any(addr, &mut |_, part| matches!(part, Expr::Index(..))) {
                self.used.insert(Assumed::InBounds);
            }
            if ty.bits(bits) >= bits {
                self.assume_plain_numbers();
            }
        }
        std::mem::replace(&mut self.used, outer)
    }

    /// The cell that a probe assumes, and the point before which it is assumed.
    pub(crate) fn assume(&mut self, probe: &Probe) -> Result<(Point, Vec<Cell>), Refused> {
        let statements = self.statements(probe.function);
        let block = &statements.blocks[probe.block.index()];
        (self.cell_type, self.cell_types) = (None, Vec::new());
        let Some(inst) = probe.inst else {
            let End::Return(value) = block.end else { return Err(Why::NotAReturn.into()) };
            let at = Point { function: probe.function, block: probe.block, at: block.actions.len() };
            return self.out_of_scope_probe(&statements, probe, value).map(|cells| (at, cells));
        };
        // A dropped result is gone after its last use, but it comes from the call.
        let inst =
            if probe.kind == ProbeKind::DroppedResult { InstId::new(probe.index as usize) } else { inst };
        let Some(at) = block.actions.iter().position(|known| known.0 == inst) else {
            return Err(Why::NotAStatement.into());
        };
        let point = Point { function: probe.function, block: probe.block, at };
        let cells = match &block.actions[at].1 {
            Action::Assign { addr, value, ty: Type::Ptr } => self.overwritten(*addr, Some(*value), Type::Ptr),
            Action::Exchange { addr, value, ty: Type::Ptr, .. } => self.overwritten(*addr, *value, Type::Ptr),
            Action::Assign { addr, ty, .. } | Action::Exchange { addr, ty, .. } => {
                if !self.is_at_pointer(*addr, *ty) {
                    return Err(Why::PartOfPointer.into());
                }
                self.overwritten(*addr, None, Type::Ptr)
            }
            Action::Unmodelled(what) => return Err(Why::NotModelled { what }.into()),
            action @ (Action::Copy { .. } | Action::Fill { .. }) => {
                let members = self.copied_members(action);
                let Some(Some(target)) = members.get(probe.index as usize).copied() else {
                    return Err(Why::Overwritten.into());
                };
                self.copied_over(action, target, probe.index)
            }
            Action::Call(call) => match probe.kind {
                ProbeKind::Scope => return Err(self.jump_text(probe.function, call)),
                ProbeKind::DroppedResult => {
                    let (point, cells) = self.dropped(probe, call, &statements, point)?;
                    return Ok((point, cells));
                }
                ProbeKind::Assignment => {
                    self.library_overwrites(probe.function, inst, call, probe.index as usize)?
                }
                _ => self.freed_member(call, probe.index)?,
            },
            _ => return Err(Why::NotProbed.into()),
        };
        Ok((point, cells))
    }

    /// `*addr` is overwritten.
    pub(crate) fn overwritten(&mut self, addr: ExprId, value: Option<ExprId>, ty: Type) -> Vec<Cell> {
        let target = self.deref(addr, ty);
        self.looked_for(target);
        let mut cell = Cell::default();
        self.cover(&mut cell, target);
        include(&mut cell.hits, target);
        if let Some(value) = value {
            include(&mut cell.misses, value);
        }
        self.finish(cell).into_iter().collect()
    }

    /// The cell is one that such a reference may refer to.
    fn looked_for(&mut self, target: ExprId) {
        self.cell_type = match self.exprs.points(target) {
            Points::In(of, 0) => Some(of),
            _ => None,
        };
        self.cell_types = self.declarations(target);
    }

    /// The only location that refers to the cell.
    fn cover(&mut self, cell: &mut Cell, target: ExprId) {
        let Expr::Deref(addr, ty) = self.exprs.get(target) else { return };
        let reach = self.reach(addr, ty);
        if reach.any {
            cell.regions.everywhere();
        }
        for (region, _) in reach.regions {
            cell.regions.add(region, Some(target));
        }
    }

    /// The members that a copy or fill overwrites and that hold pointers; `None` stands for those that are not known.
    fn copied_members(&mut self, action: &Action) -> Vec<Option<ExprId>> {
        match action {
            Action::Copy { to, bytes, .. } | Action::Fill { to, bytes } => self.written_members(*to, *bytes),
            _ => Vec::new(),
        }
    }

    /// The same for some bytes at an address, or for as many as there are.
    pub(crate) fn written_members(&mut self, to: ExprId, bytes: Option<u64>) -> Vec<Option<ExprId>> {
        let holding = self.symbol(to).is_some_and(|symbol| self.is_holding(symbol));
        let (of, offset) = match self.exprs.points(to) {
            Points::NoObject => return Vec::new(),
            _ if holding || self.is_disguised(to) => return vec![None],
            Points::Anything if self.symbol(to).is_some() => return vec![None],
            Points::Anything => return Vec::new(),
            Points::In(of, _) if self.is_mixed(of) => return vec![None],
            Points::In(of, offset) => (of, offset),
        };
        // However many bytes there are, they are those of the member that the address is the beginning of.
        let member = self.types.part_at(of, offset).filter(|_| offset != 0 && bytes.is_none());
        if member.is_some_and(|member| !self.types.has_pointers(member)) {
            self.used.insert(Assumed::InBounds);
            return Vec::new();
        }
        let Some(scalars) = self.types.scalars(of) else { return vec![None] };
        let size = i64::try_from(self.types.size(of)).unwrap_or(0);
        let end = bytes.map(|bytes| offset.saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX)));
        let width = i64::from(self.program.target.pointer_bits / 8);
        // Beyond the end there may be more of the same, or what an object that begins like this goes on with.
        let beyond = !(0..=size).contains(&offset) || end.is_none_or(|end| end > size);
        let mut found = Vec::new();
        for (at, scalar, single) in scalars {
            if !self.is_pointer((!scalar.overlaid).then_some(scalar.ty)) {
                continue;
            }
            let before = end.is_some_and(|end| end <= at);
            let after = single && at + width <= offset;
            if (before || after) && !beyond {
                continue;
            }
            let inside = single && !beyond && offset <= at && end.is_some_and(|end| at + width <= end);
            found.push(inside.then(|| {
                let addr = self.exprs.offset(to, at - offset);
                self.deref(addr, Type::Ptr)
            }));
        }
        if found.is_empty() && beyond && matches!(self.types.shape(of), Shape::Record { .. }) {
            let longer = self.types.extensions(of);
            if self.has_tail(of) || longer.into_iter().any(|record| self.types.has_pointers(record)) {
                found.push(None);
            }
        }
        found
    }

    /// One member of an object that is overwritten as a whole; those before it are overwritten already.
    fn copied_over(&mut self, action: &Action, target: ExprId, index: u32) -> Vec<Cell> {
        self.looked_for(target);
        let mut cell = Cell::default();
        self.cover(&mut cell, target);
        include(&mut cell.hits, target);
        let mut before = vec![];
        for (number, member) in self.copied_members(action).into_iter().enumerate() {
            let Some(member) = member else { continue };
            let Expr::Deref(addr, _) = self.exprs.get(member) else { continue };
            // What is written there is not known when bytes are filled.
            let value = match action {
                Action::Copy { to, from, .. } => self.distance(*to, addr).map(|offset| {
                    let at = self.exprs.offset(*from, offset);
                    self.deref(at, Type::Ptr)
                }),
                _ => None,
            };
            if number == index as usize {
                value.into_iter().for_each(|value| include(&mut cell.misses, value));
            } else if number < index as usize {
                before.push(Write::new(addr, Type::Ptr, value));
            } else {
                // What is overwritten later still holds its reference and is none to this cell.
                include(&mut cell.misses, member);
            }
        }
        let mut cells: Vec<Cell> = self.finish(cell).into_iter().collect();
        for write in before.into_iter().rev() {
            cells = cells.iter().flat_map(|cell| self.assign(cell, write)).collect();
        }
        cells
    }

    /// How far one address is behind another.
    fn distance(&self, base: ExprId, addr: ExprId) -> Option<i64> {
        let split = |expr: ExprId| match self.exprs.get(expr) {
            Expr::Offset(base, bytes) => (base, bytes),
            _ => (expr, 0),
        };
        let ((a, at), (b, to)) = (split(base), split(addr));
        (a == b).then_some(to - at)
    }

    /// A variable goes out of scope; those before it are gone already.
    fn out_of_scope_probe(
        &mut self,
        statements: &Rc<Statements>,
        probe: &Probe,
        value: Option<ExprId>,
    ) -> Result<Vec<Cell>, Refused> {
        let Some(local) = statements.locals.get(probe.index as usize) else {
            return Err(Why::NoVariable.into());
        };
        if self.is_address_home(local.addr) {
            return Err(Why::AddressInNumber.into());
        }
        let target = self.deref(local.addr, Type::Ptr);
        self.looked_for(target);
        let mut cell = Cell::default();
        if local.single {
            self.cover(&mut cell, target);
            include(&mut cell.hits, target);
        } else {
            // Some element of it.
            self.out_of_scope(&mut cell.regions, local.addr, local.ty, false);
        }
        for earlier in &statements.locals[..probe.index as usize] {
            self.out_of_scope(&mut cell.regions, earlier.addr, earlier.ty, earlier.single);
        }
        // What is not asked about goes with the rest.
        for unnamed in statements.locals.iter().filter(|local| !local.is_asked) {
            self.out_of_scope(&mut cell.regions, unnamed.addr, unnamed.ty, unnamed.single);
        }
        if let Some(value) = value
            && self.exprs.ty(value) == Type::Ptr
        {
            include(&mut cell.misses, value);
        }
        Ok(self.finish(cell).into_iter().collect())
    }

    /// The argument that a call surely releases.
    pub(crate) fn freed(&mut self, call: &CallAction) -> Option<ExprId> {
        let name = &self.program.functions[call.callee?].name;
        if self.program.functions[call.callee?].body.is_some() {
            return None;
        }
        let summary = self.models.functions.get(name)?;
        let effects = summary.outcomes.iter().flat_map(|outcome| &outcome.effects);
        let released: Vec<&Path> = effects
            .filter_map(|effect| match effect {
                Effect::Release { value, kind, .. } if self.models.kinds.get(*kind).memory => Some(value),
                _ => None,
            })
            .collect();
        // Where the contents go on in a new block, they are not lost.
        let copied = summary
            .outcomes
            .iter()
            .flat_map(|outcome| &outcome.effects)
            .any(|effect| matches!(effect, Effect::Copy { to, .. } if matches!(to.root, Root::Fresh(_))));
        match released.first() {
            Some(Path { root: Root::Param(index), steps }) if steps.is_empty() && !copied => {
                call.args.get(*index as usize).copied()
            }
            _ => None,
        }
    }

    /// The addresses of the pointers in a freed cell; an element of an array has none. Nothing when its type is not known.
    pub(crate) fn members(&mut self, freed: ExprId) -> Option<Vec<Option<ExprId>>> {
        let Points::In(of, 0) = self.exprs.points(freed) else {
            let number = matches!(self.exprs.get(freed), Expr::Number(..));
            return number.then(Vec::new);
        };
        if self.is_disguised(freed) || self.has_tail(of) || self.is_mixed(of) {
            return None;
        }
        let scalars = self.types.scalars(of)?;
        let array = !matches!(self.types.shape(of), Shape::Record { .. });
        // More of the same may follow in the block, and so may members of a longer record that begins like this one.
        let more = !array && (!self.is_single(freed, of) || self.may_be_longer(freed, of));
        let mut found = Vec::new();
        for (offset, scalar, single) in scalars {
            if self.is_pointer((!scalar.overlaid).then_some(scalar.ty)) {
                found.push((single && !array).then(|| self.exprs.offset(freed, offset)));
            }
        }
        if more && (!found.is_empty() || self.may_be_longer(freed, of)) {
            found.push(None);
        }
        Some(found)
    }

    /// A member of a freed cell; those before it are gone already.
    fn freed_member(&mut self, call: &CallAction, index: u32) -> Result<Vec<Cell>, Refused> {
        let Some(freed) = self.freed(call) else { return Err(Why::ReleasesNothing.into()) };
        let Some(members) = self.members(freed) else {
            return Err(Why::TypeUnknown.into());
        };
        let Some(Some(addr)) = members.get(index as usize).copied() else {
            return Err(Why::Elements.into());
        };
        let target = self.deref(addr, Type::Ptr);
        self.looked_for(target);
        let mut cell = Cell::default();
        self.cover(&mut cell, target);
        include(&mut cell.hits, target);
        include(&mut cell.misses, freed);
        let mut cells: Vec<Cell> = self.finish(cell).into_iter().collect();
        let null = self.exprs.null();
        for member in members[..index as usize].iter().rev() {
            if let Some(addr) = member {
                let write = Write::new(*addr, Type::Ptr, Some(null));
                cells = cells.iter().flat_map(|cell| self.assign(cell, write)).collect();
            } else {
                for cell in &mut cells {
                    self.held_by(&mut cell.regions, freed);
                }
            }
        }
        Ok(cells)
    }

    /// Whether a result is not stored, so that it is gone after its last use.
    fn is_dropped(&self, function: FuncId, result: ExprId, statements: &Statements) -> bool {
        let Some(value) = self.value_of(function, result) else { return false };
        self.last_use(function, value, statements).is_none_or(|(_, stored)| !stored)
    }

    fn value_of(&self, function: FuncId, result: ExprId) -> Option<ValueId> {
        match self.exprs.get(result) {
            Expr::Value(of, value) if of == function => Some(value),
            _ => None,
        }
    }

    /// The last instruction that uses a value, and whether that or one before stores or returns it.
    fn last_use(&self, function: FuncId, value: ValueId, statements: &Statements) -> Option<(InstId, bool)> {
        let body = self.body(function)?;
        let mut last = None;
        let mut stored = false;
        for (block_id, block) in body.blocks.iter() {
            if !statements.cfg.is_reachable(block_id) {
                continue;
            }
            for &inst in &block.insts {
                let op = &body.insts[inst].op;
                let mut uses = false;
                op.operands(|operand| uses |= operand == value);
                if uses {
                    last = Some(inst);
                    stored |= match op {
                        Op::Store { value: stored, .. } => *stored == value,
                        // It goes on under another name.
                        Op::Phi { .. } | Op::Select { .. } | Op::Pack { .. } => true,
                        _ => false,
                    };
                }
            }
            let mut returned = false;
            block.term.operands(|operand| returned |= operand == value);
            stored |= returned;
        }
        match last {
            Some(last) => Some((last, stored)),
            None if stored => {
                body.blocks.values().find_map(|block| block.insts.first()).map(|&inst| (inst, true))
            }
            None => None,
        }
    }

    /// A result that nobody has after its last use.
    fn dropped(
        &mut self,
        probe: &Probe,
        call: &CallAction,
        statements: &Statements,
        point: Point,
    ) -> Result<(Point, Vec<Cell>), Refused> {
        let Some(result) = call.result else { return Err(Why::NoResult.into()) };
        let Some(value) = self.value_of(probe.function, result) else {
            return Err(Why::NoResult.into());
        };
        self.looked_for(result);
        let mut cell = Cell::default();
        include(&mut cell.hits, result);
        let cells = self.finish(cell).into_iter().collect();
        // After the last use, when that is in the same block.
        let block = &statements.blocks[point.block.index()];
        let last = self.last_use(probe.function, value, statements).map(|known| known.0);
        let after = match last {
            None => point.at + 1,
            Some(last) => {
                let body = self.body(probe.function).ok_or(Why::NoBody)?;
                let insts = &body.blocks[point.block].insts;
                let Some(position) = insts.iter().position(|&inst| inst == last) else {
                    return Err(Why::OtherBlock.into());
                };
                block
                    .actions
                    .iter()
                    .take_while(|(inst, _)| {
                        insts.iter().position(|known| known == inst).is_some_and(|at| at <= position)
                    })
                    .count()
            }
        };
        Ok((Point { at: after.max(point.at + 1), ..point }, cells))
    }

    /// Whether a pointer may lie exactly at the address of a number.
    fn is_at_pointer(&self, addr: ExprId, ty: Type) -> bool {
        let bits = self.program.target.pointer_bits;
        let Points::In(of, offset) = self.exprs.points(addr) else { return false };
        let inside = |at: i64| self.types.may_be_pointer_at(of, offset + at);
        let bytes = i64::from(bits / 8);
        // The number begins where the pointer begins, and goes no further.
        inside(0) && !inside(-1) && i64::try_from(ty.store_bytes(bits)).unwrap_or(i64::MAX) <= bytes
    }

    /// Whether something of a type may be a reference to a heap cell.
    pub(crate) fn is_pointer(&self, ty: Option<TypeId>) -> bool {
        let Some(ty) = ty else { return true };
        match self.types.shape(ty) {
            Shape::Pointer { to } => !to.is_some_and(|to| matches!(self.types.shape(to), Shape::Function)),
            _ => false,
        }
    }

    /// Stores of arguments at entry and of results that are about to be returned lose nothing: what they overwrite has no
    /// value yet.
    fn is_probed(&mut self, addr: ExprId, in_source: bool) -> bool {
        // Addresses of functions are no references; what is declared as a number holds one now.
        let target = matches!(self.exprs.points(addr), Points::In(of, offset)
        if self.types.scalar_at(of, offset).is_some_and(|scalar| {
            !scalar.overlaid
                && !self.is_pointer(Some(scalar.ty))
                && matches!(self.types.shape(scalar.ty), Shape::Pointer { .. })
        })) && !self.is_disguised(addr);
        let unnamed = match self.exprs.get(addr) {
            Expr::Address(crate::expr::Symbol::Local(function, value)) => self
                .body(function)
                .is_some_and(|body| body.variables.values().all(|variable| variable.home != Some(value))),
            _ => false,
        };
        in_source && !target && !unnamed
    }

    /// Whether a value is the result of a call, and whether that call acquires it.
    fn acquired_by(&self, value: ExprId) -> Option<bool> {
        let Expr::Value(function, value) = self.exprs.get(value) else { return None };
        let body = self.body(function)?;
        let Some(Op::Call(call)) = body.def_op(value) else { return None };
        let callee = watertight_ir::callgraph::direct_callee(body, call);
        let model = callee.and_then(|callee| self.models.functions.get(&self.program.functions[callee].name));
        Some(model.is_some_and(|model| {
            model.outcomes.iter().any(|outcome| matches!(outcome.result, Value::Fresh { .. }))
        }))
    }
}

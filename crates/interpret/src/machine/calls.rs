//! Passing arguments and results between frames, and to the library.

use super::{Machine, Stop};
use crate::dense::{CallSite, Dense, Operand, VaOp};
use crate::libc::{Answer, Arg, Native};
use crate::trap::ObjectKind;
use crate::varargs::Varargs;
use crate::varargs::area::{Area, Registers, reads_wide_integers};
use smallvec::SmallVec;
use std::rc::Rc;
use watertight_ir::{FuncId, Type};

impl Machine<'_> {
    /// Starts a call from within the program.
    #[inline]
    pub(super) fn enter(
        &mut self,
        callee: &Rc<Dense>,
        site: &CallSite,
        caller_base: usize,
    ) -> Result<(), Stop> {
        self.push_frame(callee, site.result)?;
        let base = self.frames[self.frames.len() - 1].base;
        for (index, param) in callee.params.iter().enumerate() {
            let to = base + param.slot as usize;
            match site.args.get(index) {
                Some(arg) if param.words == 1 && arg.words >= 1 => {
                    let word = self.regs[caller_base + arg.slot as usize];
                    self.regs[to] = word & (u64::MAX >> param.unused);
                }
                Some(arg) => {
                    // A mismatch of prototypes: what is missing is zero.
                    for word in 0..param.words {
                        let from = caller_base + (arg.slot + word) as usize;
                        self.regs[to + word as usize] = if word < arg.words { self.regs[from] } else { 0 };
                    }
                    if let Some(top) = param.words.checked_sub(1) {
                        self.regs[to + top as usize] &= u64::MAX >> param.unused;
                    }
                }
                None => self.regs[to..to + param.words as usize].fill(0),
            }
            let said = site.by_value.iter().find(|&&(arg, _)| arg as usize == index).map(|&(_, bytes)| bytes);
            if let Some(bytes) = said.or(param.by_value)
                && index < site.args.len()
            {
                let kind = ObjectKind::Stack { function: callee.function, inst: None };
                let copy = self.memory.push_stack(bytes, 16, kind)?;
                self.memory.copy(copy, self.regs[to], bytes)?;
                self.regs[to] = copy;
            }
        }
        if callee.variadic {
            let area = self.variable_arguments(callee, site, caller_base)?;
            self.frames.last_mut().expect("the callee was just entered").varargs = area;
        }
        Ok(())
    }

    /// Lays out the arguments beyond the named parameters in the new frame.
    fn variable_arguments(
        &mut self,
        callee: &Dense,
        site: &CallSite,
        caller_base: usize,
    ) -> Result<Varargs, Stop> {
        let pointer_bits = self.memory.pointer_bits;
        let registers = if self.va.has_registers() && self.reads_wide_integers() {
            let in_memory = |index: usize| site.by_value.iter().any(|&(arg, _)| arg as usize == index);
            let variable = site.args.iter().enumerate().skip(callee.params.len());
            let variable = variable.filter(|&(index, _)| !in_memory(index)).map(|(_, arg)| arg.ty);
            Registers::for_call(&self.program.functions[callee.function].params, variable, pointer_bits)
        } else {
            None
        };
        let mut area = Area::new(&self.va, self.memory.endian, pointer_bits, registers);
        for (index, arg) in site.args.iter().enumerate().skip(callee.params.len()) {
            let from = caller_base + arg.slot as usize;
            let words = &self.regs[from..from + arg.words as usize];
            let by_value = site.by_value.iter().find(|&&(arg, _)| arg as usize == index);
            match (by_value, arg.ty) {
                (Some(&(_, bytes)), _) => {
                    area.push_bytes(self.memory.read(words.first().copied().unwrap_or(0), bytes)?)
                }
                (None, Type::Agg(id)) => area.push_aggregate(&self.program.aggregates[id], words),
                (None, scalar) => area.push_scalar(scalar, words),
            }
        }
        let bytes = area.bytes();
        let kind = ObjectKind::Stack { function: callee.function, inst: None };
        let address = self.memory.push_stack(bytes.len() as u64, 16, kind)?;
        self.memory.write(address, bytes.len() as u64)?.copy_from_slice(&bytes);
        Ok(area.at(address))
    }

    fn reads_wide_integers(&mut self) -> bool {
        let program = self.program;
        *self.wide_varargs.get_or_insert_with(|| reads_wide_integers(program))
    }

    /// A mark in the stack of the innermost frame: an empty object whose address is the token.
    pub(crate) fn save_stack(&mut self) -> Result<u64, Stop> {
        let Some(frame) = self.frames.last() else { return Ok(0) };
        let kind = ObjectKind::Stack { function: frame.dense.function, inst: None };
        Ok(self.memory.push_stack(0, 16, kind)?)
    }

    /// Ends the life of the objects made since the mark was set, if this frame set it.
    pub(crate) fn restore_stack(&mut self, token: u64) {
        if let Some(frame) = self.frames.last() {
            self.memory.release_stack_from(token, frame.mark);
        }
    }

    /// Writes the words of a result to where the caller wants it.
    pub(super) fn deliver(&mut self, base: usize, result: Operand, words: &[u64]) {
        let target = &mut self.regs[base + result.slot as usize..][..result.words as usize];
        for (index, slot) in target.iter_mut().enumerate() {
            *slot = words.get(index).copied().unwrap_or(0);
        }
        if let Some(top) = target.last_mut() {
            *top &= u64::MAX >> result.unused;
        }
    }

    /// The arguments of a call to the library.
    pub(super) fn gather(&self, site: &CallSite, base: usize) -> SmallVec<[Arg; 8]> {
        let word = |operand: &Operand, index: u32| {
            if index < operand.words { self.regs[base + (operand.slot + index) as usize] } else { 0 }
        };
        site.args.iter().map(|arg| Arg { ty: arg.ty, low: word(arg, 0), high: word(arg, 1) }).collect()
    }

    pub(super) fn call_native(
        &mut self,
        function: FuncId,
        native: Native,
        args: &[Arg],
    ) -> Result<Answer, Stop> {
        self.inside = Some(function);
        let answer = self.attempt_native(native, args)?;
        self.inside = None;
        Ok(answer)
    }

    pub(super) fn va_op(&mut self, op: VaOp) -> Result<(), Stop> {
        let frame = &self.frames[self.frames.len() - 1];
        let (base, varargs) = (frame.base, frame.varargs);
        let word = |slot: u32| self.regs[base + slot as usize];
        match op {
            VaOp::Start { list } => self.va.start(&mut self.memory, word(list), varargs)?,
            VaOp::Copy { dst, src } => self.va.copy(&mut self.memory, word(dst), word(src))?,
            VaOp::Next { list, dst, ty } => {
                let aggregate = match ty {
                    Type::Agg(id) => self.program.aggregates.get(id),
                    _ => None,
                };
                let pointer_bits = self.memory.pointer_bits;
                let address = self.va.next(&mut self.memory, word(list), ty, aggregate)?;
                let scalar = [(0, ty)];
                let mut to = base + dst as usize;
                for &(offset, part) in aggregate.map_or(&scalar[..], |aggregate| &aggregate.parts) {
                    let width = part.bits(pointer_bits);
                    let words = crate::words::count(width);
                    let target = &mut self.regs[to..to + words];
                    self.memory.load_words(address + offset, width.div_ceil(8).into(), target)?;
                    to += words;
                }
            }
        }
        Ok(())
    }
}

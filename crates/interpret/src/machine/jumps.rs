//! `setjmp` and `longjmp`: returning once more from a call that is still active.
//!
//! A `jmp_buf` of the program holds a ticket: which entry of the machine's list of jump points, and for
//! which call it was made, so that a stale buffer is noticed. Landing drops the frames above and lets
//! the call of `setjmp` give another value.

use super::{Frame, Machine, Stop};
use crate::dense::{CallSite, Code, Operand};
use crate::trap::TrapKind;

/// A call of `setjmp` that can be returned to.
#[derive(Copy, Clone, Debug)]
pub(super) struct JumpPoint {
    pub(super) frame: usize,
    serial: u64,
    pc: usize,
    result: Operand,
}

/// What a `jmp_buf` holds: which entry, and which call it was for.
#[derive(Copy, Clone, Debug)]
pub(crate) struct JumpTicket {
    pub(crate) index: u32,
    pub(crate) serial: u32,
}

impl Machine<'_> {
    /// Remembers the call of `setjmp` that is under way and gives its ticket.
    pub(crate) fn set_jump_point(&mut self) -> Result<JumpTicket, Stop> {
        // Calls that have returned cannot be jumped to; they gather at the end of the list.
        while let Some(last) = self.jump_points.last()
            && !self.is_active(last)
        {
            self.jump_points.pop();
        }
        let frame = self.frames.last().ok_or(TrapKind::InvalidLongJump)?;
        let result = self.running_call(frame).ok_or(TrapKind::InvalidLongJump)?.result;
        let point = JumpPoint { frame: self.frames.len() - 1, serial: frame.serial, pc: frame.pc, result };
        // A call of `setjmp` in a loop uses its entry again.
        let same = |old: &JumpPoint| old.serial == point.serial && old.pc == point.pc;
        let index = self.jump_points.iter().rposition(same).unwrap_or_else(|| {
            self.jump_points.push(point);
            self.jump_points.len() - 1
        });
        Ok(JumpTicket { index: index as u32, serial: point.serial as u32 })
    }

    fn is_active(&self, jump: &JumpPoint) -> bool {
        self.frames.get(jump.frame).is_some_and(|frame| frame.serial == jump.serial)
    }

    fn running_call<'f>(&self, frame: &'f Frame) -> Option<&'f CallSite> {
        match frame.dense.codes.get(frame.pc)? {
            Code::Call(index) => frame.dense.calls.get(*index as usize),
            _ => None,
        }
    }

    /// Leaves for the call of `setjmp` with this ticket, if it can still be returned to.
    pub(crate) fn long_jump(&self, ticket: JumpTicket, value: u64) -> Stop {
        let point = ticket.index as usize;
        match self.jump_points.get(point) {
            Some(jump) if jump.serial as u32 == ticket.serial && self.is_active(jump) => {
                Stop::LongJump { point, value }
            }
            _ => TrapKind::InvalidLongJump.into(),
        }
    }

    /// Makes the call of `setjmp` return once more.
    pub(super) fn land(&mut self, jump: JumpPoint, value: u64) {
        if let Some(first) = self.frames.get(jump.frame + 1) {
            self.memory.release_stack(first.mark);
        }
        self.frames.truncate(jump.frame + 1);
        self.inside = None;
        let frame = self.frames.last_mut().expect("the target of a long jump is active");
        frame.pc = jump.pc + 1;
        let base = frame.base;
        self.deliver(base, jump.result, &[value]);
    }
}

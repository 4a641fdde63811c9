//! Leaving the program, leaving a function sideways, and failing.

use super::{Answer, Arg, Native, Outcome, arg, word};
use crate::machine::{JumpTicket, Machine, Stop};
use crate::trap::TrapKind;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "exit" => exit,
        "_exit" | "_Exit" | "quick_exit" => |_, a| Err(Stop::Exit(arg(a, 0).int())),
        "abort" | "__chk_fail" | "__fortify_fail" => |_, _| Err(TrapKind::Abort.into()),
        "__stack_chk_fail" => |_, _| Err(TrapKind::Abort.into()),
        "atexit" => |m, a| {
            m.library.at_exit.push((word(a, 0), None));
            Answer::int(0)
        },
        "__cxa_atexit" => |m, a| {
            m.library.at_exit.push((word(a, 0), Some(word(a, 1))));
            Answer::int(0)
        },
        "__assert_fail" | "__assert_perror_fail" => assert_fail,
        "__errno_location" | "__error" | "__errno" => |m, _| Answer::word(m.library.errno),
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" => setjmp,
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => longjmp,
        _ => return None,
    })
}

impl Machine<'_> {
    /// Calls the functions registered for exit, last one first.
    pub(crate) fn run_exit_handlers(&mut self) -> Result<(), Stop> {
        while let Some((function, argument)) = self.library.at_exit.pop() {
            let args: Vec<u64> = argument.into_iter().collect();
            self.call_back(function, &args)?;
        }
        Ok(())
    }
}

fn exit(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    machine.run_exit_handlers()?;
    Err(Stop::Exit(arg(args, 0).int()))
}

fn assert_fail(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let mut text = |index: usize| -> Result<String, Stop> {
        if word(args, index) == 0 {
            return Ok("?".to_owned());
        }
        Ok(String::from_utf8_lossy(&machine.text(word(args, index))?).into_owned())
    };
    let (condition, file, function) = (text(0)?, text(1)?, text(3)?);
    let line = arg(args, 2).int();
    machine.complain(&format!("{file}:{line}: {function}: Assertion `{condition}' failed.\n"))?;
    Err(TrapKind::AssertionFailed(condition.into()).into())
}

/// Bytes at the start of a `jmp_buf` that tell whether `setjmp` filled it.
const MARK: u128 = 0x6a6d_7062;

fn setjmp(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let ticket = machine.set_jump_point()?;
    let buffer = word(args, 0);
    machine.memory.store_int(buffer, 4, MARK)?;
    machine.memory.store_int(buffer + 4, 4, ticket.index.into())?;
    machine.memory.store_int(buffer + 8, 4, ticket.serial.into())?;
    Answer::int(0)
}

fn longjmp(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    let buffer = word(args, 0);
    if machine.memory.load_int(buffer, 4)? != MARK {
        return Err(TrapKind::InvalidLongJump.into());
    }
    let index = machine.memory.load_int(buffer + 4, 4)? as u32;
    let serial = machine.memory.load_int(buffer + 8, 4)? as u32;
    let value = match arg(args, 1).int() {
        0 => 1,
        value => value as u32,
    };
    Err(machine.long_jump(JumpTicket { index, serial }, value.into()))
}

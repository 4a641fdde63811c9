//! The outside world, of which there is none: time stands still, the environment is empty, there is one
//! thread, and nobody sends signals. Whoever asks gets an answer all the same, and the run remembers what was asked for.

use super::{Answer, Arg, Errno, Native, Outcome, arg, word};
use crate::machine::Machine;
use crate::outcome::Absent;
use crate::trap::TrapKind;

/// The moment at which every program runs: one billion seconds after the epoch.
const NOW: u64 = 1_000_000_000;

pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "getenv" | "secure_getenv" | "__secure_getenv" => |m, _| {
            m.counters.absent.insert(Absent::Environment);
            Answer::word(0)
        },
        "setenv" | "putenv" | "unsetenv" | "clearenv" => |m, _| {
            m.counters.absent.insert(Absent::Environment);
            Answer::int(0)
        },
        "time" => time,
        "clock" => |m, _| {
            m.counters.absent.insert(Absent::Clock);
            Answer::word(m.counters.steps / 1000)
        },
        "gettimeofday" => |m, a| now(m, word(a, 0)),
        "clock_gettime" => |m, a| now(m, word(a, 1)),
        "difftime" => |_, a| Answer::double((arg(a, 0).signed() - arg(a, 1).signed()) as f64),
        "sleep" | "usleep" | "nanosleep" | "sched_yield" => |_, _| Answer::int(0),
        "getpid" | "getppid" | "getuid" | "geteuid" | "getgid" | "getegid" | "gettid" => |m, _| {
            m.counters.absent.insert(Absent::Machine);
            Answer::int(1)
        },
        "isatty" => |m, _| {
            m.counters.absent.insert(Absent::Machine);
            Answer::int(0)
        },
        "getpagesize" => |_, _| Answer::int(4096),
        "sysconf" => |m, a| {
            m.counters.absent.insert(Absent::Machine);
            Answer::int(if arg(a, 0).int() == 30 { 4096 } else { -1 })
        },
        "system" | "fork" => |m, _| refuse(m, Absent::Processes),
        "open" | "open64" | "socket" => |m, _| refuse(m, Absent::Files),
        "close" => |_, _| Answer::int(0),
        "sigemptyset" | "sigaddset" => |_, _| Answer::int(0),
        "signal" | "sigaction" | "sigprocmask" | "alarm" => |m, _| {
            m.counters.absent.insert(Absent::Signals);
            Answer::int(0)
        },
        "raise" | "kill" => |_, _| Err(TrapKind::Abort.into()),
        "setlocale" => |m, _| {
            let name = m.table("locale", || b"C\0".to_vec())?;
            Answer::word(name)
        },
        "localeconv" => localeconv,
        "pthread_mutex_init"
        | "pthread_mutex_destroy"
        | "pthread_mutex_lock"
        | "pthread_mutex_trylock"
        | "pthread_mutex_unlock"
        | "pthread_mutexattr_init"
        | "pthread_mutexattr_destroy"
        | "pthread_mutexattr_settype"
        | "pthread_rwlock_init"
        | "pthread_rwlock_destroy"
        | "pthread_rwlock_rdlock"
        | "pthread_rwlock_wrlock"
        | "pthread_rwlock_unlock"
        | "pthread_spin_init"
        | "pthread_spin_destroy"
        | "pthread_spin_lock"
        | "pthread_spin_unlock"
        | "pthread_cond_init"
        | "pthread_cond_destroy"
        | "pthread_cond_signal"
        | "pthread_cond_broadcast" => |_, _| Answer::int(0),
        "pthread_self" => |_, _| Answer::word(1),
        "pthread_once" => pthread_once,
        _ => return None,
    })
}

/// What cannot be had.
fn refuse(machine: &mut Machine<'_>, what: Absent) -> Outcome {
    machine.counters.absent.insert(what);
    machine.set_errno(Errno::NotImplemented)?;
    Answer::int(-1)
}

fn time(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    machine.counters.absent.insert(Absent::Clock);
    if word(args, 0) != 0 {
        let bytes = u64::from(machine.long_bits() / 8);
        machine.memory.store_int(word(args, 0), bytes, NOW.into())?;
    }
    Answer::word(NOW)
}

/// Writes the moment as seconds and a fraction.
fn now(machine: &mut Machine<'_>, address: u64) -> Outcome {
    machine.counters.absent.insert(Absent::Clock);
    let bytes = u64::from(machine.long_bits() / 8);
    machine.memory.store_int(address, bytes, NOW.into())?;
    machine.memory.store_int(address + bytes, bytes, 0)?;
    Answer::int(0)
}

fn pthread_once(machine: &mut Machine<'_>, args: &[Arg]) -> Outcome {
    if machine.memory.load_int(word(args, 0), 4)? == 0 {
        machine.memory.store_int(word(args, 0), 4, 2)?;
        machine.call_back(word(args, 1), &[])?;
    }
    Answer::int(0)
}

/// The conventions of the C locale: a point, and empty strings for the rest of the ten texts; the small
/// numbers after them are unknown, which is said by the greatest `char`.
fn localeconv(machine: &mut Machine<'_>, _: &[Arg]) -> Outcome {
    let point = machine.table("decimal point", || b".\0".to_vec())?;
    let empty = machine.table("empty text", || vec![0])?;
    let pointer = machine.memory.pointer_bytes();
    let record = machine.table("locale conventions", || vec![127; 10 * pointer as usize + 16])?;
    for index in 0..10 {
        let text = if index == 0 { point } else { empty };
        machine.memory.store_pointer(record + index * pointer, text)?;
    }
    Answer::word(record)
}

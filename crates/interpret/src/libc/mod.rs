//! A small C library for interpreted programs.
//!
//! A library function is a Rust function over the machine and its arguments; [`find`] maps names to
//! them, one file per area. What they must keep: the exact results of glibc in the C locale (programs
//! print them), every memory access checked as if the program made it, and no influence of the machine
//! they run on: time stands still, the environment is empty, files exist only in memory.

mod control;
mod ctype;
mod decimal;
mod intrinsic;
mod math;
mod memory;
mod numbers;
mod printf;
mod random;
mod scanf;
mod stdio;
mod stdlib;
mod stream;
mod string;
mod system;
mod tokens;

use crate::machine::{Machine, Stop};
use crate::memory::Memory;
use crate::outcome::Options;
use crate::trap::{Fault, ObjectKind, TrapKind};
use random::Random;
use stream::Streams;
use watertight_ir::Type;

/// A library function.
pub(crate) type Native = for<'a, 'b, 'p> fn(&'a mut Machine<'p>, &'b [Arg]) -> Result<Answer, Stop>;

/// The result of a native.
pub(crate) type Outcome = Result<Answer, Stop>;

/// An argument: its type and its first two words.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Arg {
    pub(crate) ty: Type,
    pub(crate) low: u64,
    pub(crate) high: u64,
}

/// What a library function returns.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Answer {
    None,
    Word([u64; 1]),
    Pair([u64; 2]),
}

impl Answer {
    pub(crate) fn words(&self) -> &[u64] {
        match self {
            Answer::None => &[],
            Answer::Word(word) => word,
            Answer::Pair(pair) => pair,
        }
    }
    /// An integer or address; the caller's type decides how much of it counts.
    fn word(word: u64) -> Outcome {
        Ok(Answer::Word([word]))
    }
    fn int(value: i64) -> Outcome {
        Answer::word(value as u64)
    }
    fn truth(value: bool) -> Outcome {
        Answer::word(value.into())
    }
    fn double(value: f64) -> Outcome {
        Answer::word(value.to_bits())
    }
    fn wide(value: u128) -> Outcome {
        Ok(Answer::Pair([value as u64, (value >> 64) as u64]))
    }
}

impl Arg {
    fn double(&self) -> f64 {
        f64::from_bits(self.low)
    }
    fn single(&self) -> f32 {
        f32::from_bits(self.low as u32)
    }
    fn wide(&self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
    /// The signed reading, by the width that the caller passed.
    fn signed(&self) -> i64 {
        match self.ty {
            Type::Int(bits @ 1..=63) => ((self.low << (64 - bits)) as i64) >> (64 - bits),
            _ => self.low as i64,
        }
    }
    /// A C `int`.
    fn int(&self) -> i32 {
        self.low as i32
    }
}

/// An argument by number. Missing ones are zero, as a wrong prototype would leave them undefined.
fn arg(args: &[Arg], index: usize) -> Arg {
    args.get(index).copied().unwrap_or(Arg { ty: Type::Int(64), low: 0, high: 0 })
}

/// An address or unsigned number by number.
fn word(args: &[Arg], index: usize) -> u64 {
    arg(args, index).low
}

/// The compiler intrinsic of this name.
pub(crate) fn find_intrinsic(name: &str) -> Option<Native> {
    intrinsic::find(name.strip_prefix("llvm.")?)
}

/// The library function of this name.
pub(crate) fn find(name: &str) -> Option<Native> {
    if let Some(intrinsic) = find_intrinsic(name) {
        return Some(intrinsic);
    }
    // Names that glibc's headers substitute for the plain ones, with the same arguments.
    let name = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
    memory::find(name)
        .or_else(|| string::find(name))
        .or_else(|| tokens::find(name))
        .or_else(|| numbers::find(name))
        .or_else(|| ctype::find(name))
        .or_else(|| stdio::find(name))
        .or_else(|| scanf::find(name))
        .or_else(|| stdlib::find(name))
        .or_else(|| random::find(name))
        .or_else(|| control::find(name))
        .or_else(|| system::find(name))
        .or_else(|| math::find(name))
}

/// Functions of this library beside those on texts, bytes and numbers that compute by arguments and memory alone.
const COMPUTED: &[&str] = &[
    "sprintf",
    "snprintf",
    "vsprintf",
    "vsnprintf",
    "__sprintf_chk",
    "__snprintf_chk",
    "__vsprintf_chk",
    "__vsnprintf_chk",
    "abs",
    "labs",
    "llabs",
    "qsort",
    "bsearch",
    "setjmp",
    "_setjmp",
    "__sigsetjmp",
    "sigsetjmp",
    "__errno_location",
];

/// Whether a function computes by its arguments and memory alone.
pub(crate) fn is_computed(name: &str) -> bool {
    COMPUTED.contains(&name) && find(name).is_some()
        || memory::find(name)
            .or_else(|| string::find(name))
            .or_else(|| tokens::find(name))
            .or_else(|| numbers::find(name))
            .or_else(|| ctype::find(name))
            .or_else(|| math::find(name))
            .is_some()
}

/// The state of the library during a run.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) streams: Streams,
    pub(crate) random: Random,
    /// Where `errno` lives.
    errno: u64,
    /// Where `strtok` goes on.
    token: u64,
    /// Addresses of tables that are built when first asked for, by name.
    tables: Vec<(&'static str, u64)>,
    /// Functions to call at exit, last one first, with an argument if they take one.
    pub(crate) at_exit: Vec<(u64, Option<u64>)>,
    globals: Vec<(&'static str, u64)>,
}

impl Library {
    pub(crate) fn new(memory: &mut Memory, options: &Options) -> Result<Library, Fault> {
        let pointer = memory.pointer_bytes();
        let streams = Streams::new(memory, options.stdin.clone(), options.max_output)?;
        let mut library = Library {
            streams,
            random: Random::new(),
            errno: object(memory, 4)?,
            token: 0,
            tables: Vec::new(),
            at_exit: Vec::new(),
            globals: Vec::new(),
        };
        for (names, stream) in [
            (["stdin", "__stdinp"], library.streams.standard(0)),
            (["stdout", "__stdoutp"], library.streams.standard(1)),
            (["stderr", "__stderrp"], library.streams.standard(2)),
        ] {
            let variable = object(memory, pointer)?;
            memory.store_pointer(variable, stream)?;
            library.globals.extend(names.map(|name| (name, variable)));
        }
        let empty = object(memory, pointer)?;
        let environ = object(memory, pointer)?;
        memory.store_pointer(environ, empty)?;
        library.globals.extend([("environ", environ), ("__environ", environ)]);
        for (name, value) in [("optind", 1), ("opterr", 1), ("optopt", 0), ("signgam", 0)] {
            let variable = object(memory, 4)?;
            memory.store_int(variable, 4, value)?;
            library.globals.push((name, variable));
        }
        for name in ["optarg", "__stack_chk_guard"] {
            library.globals.push((name, object(memory, pointer)?));
        }
        Ok(library)
    }

    pub(crate) fn errno(&self) -> u64 {
        self.errno
    }

    /// Forgets what a run has left. What was placed in memory stays.
    pub(crate) fn start_over(&mut self) {
        self.token = 0;
        self.tables.clear();
        self.at_exit.clear();
        self.streams.stdout.clear();
        self.streams.stderr.clear();
    }

    /// The address of a variable that the library defines.
    pub(crate) fn global(&self, name: &str) -> Option<u64> {
        self.globals.iter().find(|(known, _)| *known == name).map(|&(_, address)| address)
    }
}

/// A new object of the library, filled with zeros.
fn object(memory: &mut Memory, bytes: u64) -> Result<u64, Fault> {
    memory
        .push_static(bytes, 16, ObjectKind::Runtime, true)
        .ok_or_else(|| Box::new(TrapKind::Unsupported("more statics than the address space holds".into())))
}

impl Machine<'_> {
    fn set_errno(&mut self, code: Errno) -> Result<(), Stop> {
        Ok(self.memory.store_int(self.library.errno, 4, code as u128)?)
    }

    fn errno(&self) -> Result<i32, Stop> {
        Ok(self.memory.load_int(self.library.errno, 4)? as i32)
    }

    /// Counts the work of an operation on so many bytes.
    fn charge(&mut self, bytes: u64) {
        self.counters.steps = self.counters.steps.saturating_add(bytes / 16);
    }

    /// The bytes of a string of the program.
    fn text(&mut self, address: u64) -> Result<Vec<u8>, Stop> {
        let text = self.memory.string(address)?.to_vec();
        self.charge(text.len() as u64);
        Ok(text)
    }

    /// A heap block with this string in it; null when memory is used up.
    fn acquire_string(&mut self, text: &[u8]) -> Result<u64, Stop> {
        let address = self.acquire(text.len() as u64 + 1, 16, false);
        if address != 0 {
            self.memory.write_string(address, text)?;
        }
        Ok(address)
    }

    /// The address of a table that is built when first asked for.
    fn table(&mut self, name: &'static str, contents: impl FnOnce() -> Vec<u8>) -> Result<u64, Stop> {
        if let Some(&(_, address)) = self.library.tables.iter().find(|(known, _)| *known == name) {
            return Ok(address);
        }
        let contents = contents();
        let address = object(&mut self.memory, contents.len() as u64)?;
        self.memory.initialise(address, &contents)?;
        self.library.tables.push((name, address));
        Ok(address)
    }
}

/// The error numbers that the library sets, as on Linux.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Errno {
    NoEntry = 2,
    BadDescriptor = 9,
    NoMemory = 12,
    Invalid = 22,
    Domain = 33,
    Range = 34,
    NotImplemented = 38,
}

//! The world around a function that is run by itself: who answers when it asks for something outside.
//!
//! A program that runs from `main` needs nobody: its memory begins with its statics, and the small library serves what it
//! calls. A function that is started at its entry meets memory of its caller, globals in any state, and functions that may
//! fail or not. Each such question goes to a [`World`], which answers through [`Hands`]: it reads, writes and makes memory
//! as the program would.
//!
//! ```text
//! load of a cell that nobody decided      -> World::decide, then the load is done again
//! call of a function without a body       -> World::call: an answer, or "let the small library do it"
//! control enters a block                  -> World::enter, for those who follow a path
//! call of a function with a body          -> World::called, and World::returned when it is over
//! ```

use crate::machine::Machine;
use crate::trap::{Address, HeapId, ObjectKind, TrapKind};
use watertight_ir::{BlockId, FuncId, GlobalId, Id, InstId, Program, Type};

/// Answers what a function asks for while it runs.
pub trait World {
    /// A function that has no body is called, or an address of which nobody knows what function it is.
    fn call(&mut self, hands: &mut Hands<'_, '_>, call: &Outside<'_>) -> Reply;
    /// Nobody has decided what these bytes hold; `ty` is what they are read as, where that is known. False: nobody will.
    fn decide(&mut self, hands: &mut Hands<'_, '_>, address: Address, bytes: u64, ty: Option<Type>) -> bool;
    /// Control enters a block; the outermost call has depth 0. What was compared since the last block is told if
    /// [`crate::Alone::watch`] asks for it.
    fn enter(&mut self, _depth: usize, _function: FuncId, _block: BlockId, _compared: &[(u64, u64)]) {}
    /// The call at this depth calls this function, which has a body; arguments are told by their first words. If this gives a
    /// word, the call is not made, and gives that.
    fn called(
        &mut self,
        _hands: &mut Hands<'_, '_>,
        _depth: usize,
        _function: FuncId,
        _inst: Option<InstId>,
        _args: &[u64],
    ) -> Option<u64> {
        None
    }
    /// What it called there gives it this word.
    fn returned(&mut self, _depth: usize, _inst: Option<InstId>, _word: u64) {}
}

/// A call that leaves the program.
#[derive(Debug)]
pub struct Outside<'c> {
    /// Absent if the address is that of no function.
    pub function: Option<FuncId>,
    /// The address called, if it was called through a pointer.
    pub address: Option<Address>,
    /// The first word of each argument.
    pub args: &'c [u64],
    pub result: Type,
    /// The instruction that calls, and how many calls are around it.
    pub inst: Option<InstId>,
    pub depth: usize,
}

/// What comes of a call.
#[derive(Debug)]
pub enum Reply {
    /// The small library does it; a call of what it does not know is a trap.
    Library,
    /// It returns this word, after it has called these functions of the program with these arguments.
    Returns { word: u64, calls: Vec<(Address, Vec<u64>)> },
    /// The process ends.
    Exits,
    /// Control goes to a place that a caller outside has prepared.
    JumpsOut,
    /// It goes wrong like this.
    Fails(TrapKind),
}

/// What a world may do to a running program.
pub struct Hands<'m, 'p>(pub(crate) &'m mut Machine<'p>);

impl<'p> Hands<'_, 'p> {
    pub fn program(&self) -> &'p Program {
        self.0.program
    }

    /// A new object of the caller's of so many bytes or more, wholly undecided: its number and its address. Absent where
    /// addresses do not have 64 bits.
    pub fn give(&mut self, bytes: u64) -> Option<(u32, Address)> {
        self.0.memory.push_given(bytes).map(|(number, address)| (number, Address(address)))
    }

    /// The object of the caller's that an address lies in, and the offset.
    pub fn given_at(&self, address: Address) -> Option<(u32, i64)> {
        self.0.memory.given_at(address.0)
    }

    /// The address of an object of the caller's; absent once it is released.
    pub fn address_of_given(&self, number: u32) -> Option<Address> {
        self.0.memory.address_of_given(number).map(Address)
    }

    /// The object that an address lies in: its kind, its start and its size.
    pub fn object_at(&self, address: Address) -> Option<(ObjectKind, Address, u64)> {
        let (kind, start, size) = self.0.memory.object_at(address.0)?;
        Some((kind, Address(start), size))
    }

    /// Bytes, decided or not, and which of them are.
    pub fn peek(&self, address: Address, bytes: u64) -> Option<(&[u8], &[u8])> {
        self.0.memory.peek(address.0, bytes)
    }

    /// A number of at most eight bytes, decided or not.
    pub fn number(&self, address: Address, bytes: u64) -> Option<u64> {
        let (contents, _) = self.peek(address, bytes.min(8))?;
        Some(contents.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// Whether something has decided any of these bytes.
    pub fn is_decided(&self, address: Address, bytes: u64) -> bool {
        self.peek(address, bytes).is_some_and(|(_, decided)| decided.contains(&1))
    }

    /// Decides what bytes hold. False if there is no such memory.
    pub fn put(&mut self, address: Address, contents: &[u8]) -> bool {
        self.0.memory.decide(address.0, contents)
    }

    /// Makes bytes undecided again.
    pub fn forget(&mut self, address: Address, bytes: u64) {
        let room = self.0.memory.room(address.0);
        self.0.memory.forget(address.0, bytes.min(room));
    }

    /// How many bytes from an address on lie in its object.
    pub fn room(&self, address: Address) -> u64 {
        self.0.memory.room(address.0)
    }

    /// A new block of the heap, acquired by the call that is under way.
    pub fn acquire(&mut self, bytes: u64, zeroed: bool) -> Option<Address> {
        match self.0.acquire(bytes, 16, zeroed) {
            0 => None,
            address => Some(Address(address)),
        }
    }

    /// Releases what starts at an address: a block of the heap, or an object of the caller's.
    pub fn release(&mut self, address: Address) -> Result<Option<HeapId>, TrapKind> {
        if let Some((number, _)) = self.given_at(address) {
            let live = self.0.memory.release_given(number);
            return if live { Ok(None) } else { Err(TrapKind::InvalidFree { address }) };
        }
        self.0.memory.release(address.0).map(Some).map_err(|fault| *fault)
    }

    /// By block of the heap: the calls that acquired it, outermost first.
    pub fn origins(&self) -> &[Vec<(FuncId, InstId)>] {
        &self.0.origins
    }

    /// Whether a block of the heap was released.
    pub fn is_released(&self, block: HeapId) -> bool {
        self.0.memory.heap.is_released(block)
    }

    /// The live block that an address lies in.
    pub fn block_at(&self, address: Address) -> Option<HeapId> {
        match self.0.memory.object_at(address.0)? {
            (ObjectKind::Heap(block), _, _) if !self.0.memory.heap.is_released(block) => Some(block),
            _ => None,
        }
    }

    /// The live blocks that can be reached from these addresses, and what the stack, globals and the caller hold aside.
    pub fn led_to(&self, addresses: &[u64]) -> Vec<HeapId> {
        let blocks = self.0.memory.led_to(addresses);
        blocks.into_iter().map(|block| HeapId(block as u32)).collect()
    }

    /// The live blocks, and which of these numbers, that globals and the caller hold.
    pub fn held_outside(&self, numbers: &[u32]) -> (Vec<HeapId>, Vec<bool>) {
        let reached = self.0.memory.outliving(numbers);
        let blocks = (0..reached.blocks.len()).filter(|&block| reached.blocks[block]);
        (blocks.map(|block| HeapId(block as u32)).collect(), reached.numbers)
    }

    /// The function whose address this is.
    pub fn function_at(&self, address: Address) -> Option<FuncId> {
        match self.0.memory.object_at(address.0)? {
            (ObjectKind::Function(function), start, _) if start == address.0 => Some(function),
            _ => None,
        }
    }

    /// Whether a function is a part of the compiler, which the small library does.
    pub fn is_intrinsic(&self, function: FuncId) -> bool {
        crate::libc::find_intrinsic(&self.0.program.functions[function].name).is_some()
    }

    /// Whether the small library does a function by its arguments and memory alone: nothing of it is left to choose.
    pub fn is_computed(&self, name: &str) -> bool {
        crate::libc::is_computed(name)
    }

    pub fn function_address(&self, function: FuncId) -> Address {
        Address(self.0.images.statics.functions.get(function.index()).copied().unwrap_or(0))
    }

    pub fn global_address(&self, global: GlobalId) -> Address {
        Address(self.0.images.statics.globals.get(global.index()).copied().unwrap_or(0))
    }

    /// Where `errno` lives.
    pub fn errno(&self) -> Address {
        Address(self.0.library.errno())
    }

    /// The calls that are under way, outermost first: function and calling instruction.
    pub fn stack(&self) -> Vec<(FuncId, InstId)> {
        self.0.call_stack()
    }
}

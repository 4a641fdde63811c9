//! Where the numbers of a bitstream stand, so that a mutation can change a number and leave the rest readable.
//!
//! In: bytes that are more or less LLVM bitcode. Out: every operand that was found, by its position and shape.
//! Bitcode is packed bit by bit, and nearly every change of length or of framing makes the rest of a file
//! unreadable; mutations of whole bytes alone therefore mostly test how errors are told. Reading stops
//! silently where the stream makes no sense: what was found up to there is still worth changing.
//!
//! The format is described in LLVM's "LLVM Bitcode File Format": blocks, abbreviations, records.

use std::collections::BTreeMap;

/// A number in the stream.
#[derive(Copy, Clone, Debug)]
pub struct Field {
    /// Position of its first bit.
    start: usize,
    shape: Shape,
}

#[derive(Copy, Clone, Debug)]
enum Shape {
    /// So many bits.
    Fixed(usize),
    /// Chunks of so many bits, the highest of which says whether another follows.
    Chunks { width: usize, count: usize },
}

impl Field {
    /// How many bits of value it has room for.
    pub fn room(self) -> usize {
        match self.shape {
            Shape::Fixed(width) => width,
            Shape::Chunks { width, count } => ((width - 1) * count).min(64),
        }
    }

    pub fn get(self, bytes: &[u8]) -> u64 {
        match self.shape {
            Shape::Fixed(width) => get(bytes, self.start, width).unwrap_or(0),
            Shape::Chunks { width, count } => (0..count).fold(0, |number, chunk| {
                let bits = get(bytes, self.start + chunk * width, width - 1).unwrap_or(0);
                number | bits.checked_shl((chunk * (width - 1)) as u32).unwrap_or(0)
            }),
        }
    }

    /// Writes as much of `value` as there is room for.
    pub fn set(self, bytes: &mut [u8], value: u64) {
        match self.shape {
            Shape::Fixed(width) => set(bytes, self.start, width, value),
            Shape::Chunks { width, count } => {
                for chunk in 0..count {
                    let part = value.checked_shr((chunk * (width - 1)) as u32).unwrap_or(0);
                    set(bytes, self.start + chunk * width, width - 1, part);
                }
            }
        }
    }
}

fn get(bytes: &[u8], start: usize, width: usize) -> Option<u64> {
    let mut value = 0;
    for bit in 0..width {
        let at = start + bit;
        value |= u64::from(bytes.get(at / 8)? >> (at % 8) & 1) << bit;
    }
    Some(value)
}

fn set(bytes: &mut [u8], start: usize, width: usize, value: u64) {
    for bit in 0..width {
        let at = start + bit;
        let byte = &mut bytes[at / 8];
        *byte = *byte & !(1 << (at % 8)) | ((value >> bit & 1) as u8) << (at % 8);
    }
}

/// One operand of an abbreviation.
#[derive(Copy, Clone)]
enum Operand {
    Literal(u64),
    Fixed(usize),
    Chunks(usize),
    Array,
    Char6,
    Blob,
}

type Abbreviation = Vec<Operand>;

/// The operands of a stream, in order; what stands after the first nonsense is not found.
pub fn fields(bytes: &[u8]) -> Vec<Field> {
    let mut reader = Reader { bytes, at: 32, found: Vec::new(), shared: BTreeMap::new() };
    if bytes.starts_with(b"BC\xC0\xDE") {
        // Nonsense is what mutated files are full of.
        let _ = reader.stream();
    }
    reader.found
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    found: Vec<Field>,
    /// Abbreviations that all blocks of a kind share.
    shared: BTreeMap<u64, Vec<Abbreviation>>,
}

struct Open {
    kind: u64,
    width: usize,
    abbreviations: Vec<Abbreviation>,
}

const BLOCK_INFO: u64 = 0;

impl Reader<'_> {
    fn fixed(&mut self, width: usize) -> Option<u64> {
        let value = get(self.bytes, self.at, width)?;
        self.at += width;
        Some(value)
    }

    fn chunks(&mut self, width: usize) -> Option<u64> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let chunk = self.fixed(width)?;
            value |= (chunk & !(1 << (width - 1))).checked_shl(shift).unwrap_or(0);
            shift += width as u32 - 1;
            if chunk >> (width - 1) == 0 {
                return Some(value);
            }
        }
    }

    fn align(&mut self) {
        self.at = self.at.next_multiple_of(32);
    }

    /// Reads a number in chunks and remembers where it stands.
    fn operand_in_chunks(&mut self, width: usize) -> Option<u64> {
        let start = self.at;
        let value = self.chunks(width)?;
        let shape = Shape::Chunks { width, count: (self.at - start) / width };
        self.found.push(Field { start, shape });
        Some(value)
    }

    fn operand(&mut self, operand: Operand) -> Option<u64> {
        match operand {
            Operand::Literal(value) => Some(value),
            Operand::Fixed(width) => {
                let start = self.at;
                let value = self.fixed(width)?;
                if width > 0 {
                    self.found.push(Field { start, shape: Shape::Fixed(width) });
                }
                Some(value)
            }
            Operand::Chunks(width) => self.operand_in_chunks(width),
            Operand::Char6 => self.operand(Operand::Fixed(6)),
            Operand::Array | Operand::Blob => None,
        }
    }

    fn stream(&mut self) -> Option<()> {
        let mut open = vec![Open { kind: u64::MAX, width: 2, abbreviations: Vec::new() }];
        let mut described = None;
        loop {
            let (kind, width) = open.last().map(|block| (block.kind, block.width))?;
            match self.fixed(width)? {
                0 => {
                    self.align();
                    open.pop();
                    if open.is_empty() {
                        return None;
                    }
                }
                1 => {
                    let kind = self.chunks(8)?;
                    let width = self.chunks(4)? as usize;
                    self.align();
                    self.fixed(32)?;
                    if !(2..=32).contains(&width) {
                        return None;
                    }
                    let abbreviations = self.shared.get(&kind).cloned().unwrap_or_default();
                    open.push(Open { kind, width, abbreviations });
                }
                2 => {
                    let abbreviation = self.abbreviation()?;
                    match described.filter(|_| kind == BLOCK_INFO) {
                        Some(described) => self.shared.entry(described).or_default().push(abbreviation),
                        None => open.last_mut()?.abbreviations.push(abbreviation),
                    }
                }
                3 => {
                    let code = self.operand_in_chunks(6)?;
                    let count = self.chunks(6)?;
                    for position in 0..count {
                        let value = self.operand_in_chunks(6)?;
                        if kind == BLOCK_INFO && code == 1 && position == 0 {
                            described = Some(value);
                        }
                    }
                }
                number => {
                    let index = (number - 4) as usize;
                    let abbreviation = open.last()?.abbreviations.get(index)?.clone();
                    self.record(&abbreviation)?;
                }
            }
        }
    }

    fn abbreviation(&mut self) -> Option<Abbreviation> {
        let count = self.chunks(5)?;
        let mut operands = Vec::new();
        for _ in 0..count {
            operands.push(if self.fixed(1)? == 1 {
                Operand::Literal(self.chunks(8)?)
            } else {
                match self.fixed(3)? {
                    1 => Operand::Fixed(self.chunks(5).filter(|&width| width <= 64)? as usize),
                    2 => Operand::Chunks(self.chunks(5).filter(|&width| (2..=32).contains(&width))? as usize),
                    3 => Operand::Array,
                    4 => Operand::Char6,
                    5 => Operand::Blob,
                    _ => return None,
                }
            });
        }
        Some(operands)
    }

    fn record(&mut self, abbreviation: &[Operand]) -> Option<()> {
        let mut operands = abbreviation.iter();
        while let Some(&operand) = operands.next() {
            match operand {
                Operand::Array => {
                    let element = *operands.next()?;
                    for _ in 0..self.chunks(6)? {
                        // Elements without bits would make this loop free of charge.
                        if matches!(element, Operand::Literal(_) | Operand::Fixed(0)) {
                            return None;
                        }
                        self.operand(element)?;
                    }
                }
                Operand::Blob => {
                    let length = self.chunks(6)?;
                    self.align();
                    self.at = self.at.checked_add(usize::try_from(length).ok()?.checked_mul(8)?)?;
                    self.align();
                }
                operand => {
                    self.operand(operand)?;
                }
            }
        }
        Some(())
    }
}

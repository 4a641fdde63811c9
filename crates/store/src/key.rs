//! Keys of content.

/// A hash over everything that a value depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; 32]);

impl Key {
    /// The key of some parts. Each goes in with its length, so that no two lists of parts agree.
    #[must_use]
    pub fn of(parts: &[&[u8]]) -> Key {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Key(*hasher.finalize().as_bytes())
    }
}

/// Bytes of a checksum in front of a value.
const SUM: usize = 16;

/// A value with a checksum over it and its key.
pub(crate) fn sealed(key: &Key, value: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(SUM + value.len());
    sealed.extend_from_slice(&sum(key, value));
    sealed.extend_from_slice(value);
    sealed
}

/// The value, if it is the one that was sealed under this key.
pub(crate) fn unsealed(key: &Key, mut sealed: Vec<u8>) -> Option<Vec<u8>> {
    let value = sealed.get(SUM..)?;
    if sealed[..SUM] != sum(key, value) {
        return None;
    }
    sealed.drain(..SUM);
    Some(sealed)
}

fn sum(key: &Key, value: &[u8]) -> [u8; SUM] {
    let mut hasher = blake3::Hasher::new_keyed(&key.0);
    hasher.update(value);
    let mut short = [0; SUM];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..SUM]);
    short
}

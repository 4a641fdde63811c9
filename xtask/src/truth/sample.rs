//! A choice that looks random and is always the same.
//!
//! In go things with names and a seed, out come those with the smallest numbers, where a number is a hash of the seed and
//! the name. What is chosen does not depend on the order, and a thing that comes or goes changes one place
//! of the sample, not all.

/// The number of a name under a seed. FNV-1a, stirred at the end, so that names that differ little lie far apart.
pub(super) fn number(seed: &str, name: &str) -> u64 {
    let bytes = seed.bytes().chain([0]).chain(name.bytes());
    let mut hash = bytes
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// The positions of at most `most` things, chosen by their names, in their order.
pub(super) fn choose(seed: &str, names: &[String], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&i| (number(seed, &names[i]), &names[i]));
    order.truncate(most);
    order.sort_unstable();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_name_changes_at_most_one_place() {
        let names: Vec<String> = (0..100).map(|i| format!("name {i}")).collect();
        let before = choose("seed", &names, 10);
        let mut more = names.clone();
        more.push("another".to_owned());
        let after = choose("seed", &more, 10);
        assert_eq!(before.len(), 10);
        assert!(before.iter().filter(|i| after.contains(i)).count() >= 9);
        assert_ne!(before, choose("other seed", &names, 10));
    }
}

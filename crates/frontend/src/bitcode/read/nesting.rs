//! Checks that things made of other things of the same list do not contain themselves.
//!
//! Types are made of types and constants of constants, by numbers that may point forwards. Whoever walks
//! them by recursion relies on two facts: the walk ends, and it does not go too deep. Both are
//! established here, without recursion and in time proportional to the number of parts.

/// What a part of a thing turns out to be.
pub(super) enum Part {
    /// A thing of the same list, by its index.
    Inner(usize),
    /// Anything else.
    Leaf,
}

/// Goes through `count` things; `part` gives the part of a thing at a position, `None` after the last.
/// Fails with `None` if something contains itself or goes deeper than `limit`, and with the fault of
/// `part` if that fails.
pub(super) fn nesting<E>(
    count: usize,
    limit: u32,
    part: impl Fn(usize, usize) -> Result<Option<Part>, E>,
) -> Result<(), Option<E>> {
    const UNKNOWN: u32 = 0;
    const BUSY: u32 = u32::MAX;
    let mut depth = vec![UNKNOWN; count];
    // Things that are being looked at: the index, the next position, the depth of the parts so far.
    let mut stack: Vec<(usize, usize, u32)> = Vec::new();
    for start in 0..count {
        if depth[start] != UNKNOWN {
            continue;
        }
        depth[start] = BUSY;
        stack.push((start, 0, 0));
        while let Some((index, position, deepest)) = stack.last_mut() {
            let Some(found) = part(*index, *position).map_err(Some)? else {
                let own = *deepest + 1;
                if own > limit {
                    return Err(None);
                }
                depth[*index] = own;
                stack.pop();
                continue;
            };
            let Part::Inner(inner) = found else {
                *position += 1;
                continue;
            };
            match depth[inner] {
                BUSY => return Err(None),
                UNKNOWN => {
                    depth[inner] = BUSY;
                    stack.push((inner, 0, 0));
                }
                known => {
                    *deepest = known.max(*deepest);
                    *position += 1;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(things: &[&[usize]], limit: u32) -> Result<(), Option<()>> {
        nesting(things.len(), limit, |index, position| {
            Ok(things[index].get(position).map(|&part| Part::Inner(part)))
        })
    }

    #[test]
    fn accepts_what_is_shared_and_points_forwards() {
        assert_eq!(check(&[&[1, 2, 2], &[2], &[]], 3), Ok(()));
        assert_eq!(check(&[], 1), Ok(()));
    }

    #[test]
    fn refuses_what_contains_itself() {
        assert_eq!(check(&[&[0]], 9), Err(None));
        assert_eq!(check(&[&[1], &[2], &[1]], 9), Err(None));
    }

    #[test]
    fn refuses_what_is_too_deep() {
        let chain: [&[usize]; 4] = [&[1], &[2], &[3], &[]];
        assert_eq!(check(&chain, 4), Ok(()));
        assert_eq!(check(&chain, 3), Err(None));
    }
}

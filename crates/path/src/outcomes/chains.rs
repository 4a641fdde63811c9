//! Effects on each node of a chain or a tree.
//!
//! Evaluation follows what the caller has as far as it has names (`LONGEST_PATH`): `free_all(p)` is seen to release
//! `p`, `p->next`, `p->next->next` and so on to the last name there is. What it does there it does because it does so with
//! every node: names end where our limits are, not where the function stops. So such a run of effects becomes two:
//! one on the first node and one on each node behind it, however many there are (ASSUME-44). The same goes for what each
//! node holds (`p->name`, `p->next->name`, ...), and for trees, whose nodes have two links.
//!
//! In: the effects of an outcome. Out: the same, with runs told once.

use crate::limits::LONGEST_PATH;
use watertight_summary::{Effect, KeepReason, Path, Step};

/// A first node, behind which every node that has a name is released.
struct Chain {
    first: Path,
    links: Vec<i64>,
}

impl Chain {
    /// What is released of which node: the number of links to it, and the way from there.
    fn place<'p>(&self, path: &'p Path) -> Option<(usize, &'p [Step])> {
        if path.root != self.first.root {
            return None;
        }
        let rest = path.steps.strip_prefix(&self.first.steps[..])?;
        let is_link = |step: &&Step| matches!(step, Step::At(link) if self.links.contains(link));
        let number = rest.iter().take_while(is_link).count();
        Some((number, &rest[number..]))
    }

    /// Whether this is released of every node for which it has a name, and how many links away the last of them is.
    fn is_run(&self, held: &[Step], released: &[Path]) -> bool {
        let behind = |paths: Vec<Path>| -> Vec<Path> {
            paths.iter().flat_map(|path| self.links.iter().map(|&link| path.at(link))).collect()
        };
        let mut nodes = vec![self.first.clone()];
        let mut turns = 0;
        while nodes[0].cells() + held.len() <= LONGEST_PATH {
            let whole = |node: &Path| {
                let mut path = node.clone();
                path.steps.extend_from_slice(held);
                path
            };
            if !nodes.iter().all(|node| released.contains(&whole(node))) {
                return false;
            }
            nodes = behind(nodes);
            turns += 1;
        }
        turns > 1
    }

    fn each(&self) -> Step {
        Step::Each { link: self.links[0], also: self.links.get(1).copied() }
    }
}

/// Tells what is released of each node as one effect.
pub(crate) fn each_node(effects: &mut Vec<Effect>) {
    let released: Vec<Path> = effects.iter().filter_map(released_by).cloned().collect();
    let mut chains: Vec<Chain> = Vec::new();
    let mut firsts: Vec<&Path> = released.iter().collect();
    firsts.sort_by_key(|path| path.steps.len());
    for first in firsts {
        let is_behind = |chain: &Chain| chain.place(first).is_some_and(|(_, held)| held.is_empty());
        if !chains.iter().any(is_behind) {
            chains.extend(chain(first, &released));
        }
    }
    for chain in chains {
        keep_behind(&chain, effects);
        let mut held: Vec<Vec<Step>> = Vec::new();
        for (_, way) in released.iter().filter_map(|path| chain.place(path)).filter(|place| place.0 == 0) {
            if chain.is_run(way, &released) {
                held.push(way.to_vec());
            }
        }
        for held in held {
            let mut told = false;
            effects.retain_mut(|effect| {
                let Effect::Release { value, .. } = effect else { return true };
                if !chain.place(value).is_some_and(|(number, way)| number > 0 && way == held) {
                    return true;
                }
                *value = chain.first.then(chain.each());
                value.steps.extend_from_slice(&held);
                !std::mem::replace(&mut told, true)
            });
        }
    }
}

/// What the first node holds and somebody may have kept, such as a function of the caller's, it may have kept of each node.
fn keep_behind(chain: &Chain, effects: &mut Vec<Effect>) {
    let kept = effects.iter().filter_map(|effect| match effect {
        Effect::Keep { value, .. } => chain.place(value).filter(|place| place.0 == 0 && !place.1.is_empty()),
        _ => None,
    });
    let mut more: Vec<Effect> = Vec::new();
    for (_, held) in kept {
        let mut value = chain.first.then(chain.each());
        value.steps.extend_from_slice(held);
        let effect = Effect::Keep { value, reason: KeepReason::Assumed { function: "".into() } };
        if !more.contains(&effect) {
            more.push(effect);
        }
    }
    effects.append(&mut more);
}

fn released_by(effect: &Effect) -> Option<&Path> {
    match effect {
        Effect::Release { value, .. } => Some(value),
        _ => None,
    }
}

/// The nodes behind a first one: those cells lead to others that are released and in which the same cells lead further.
fn chain(first: &Path, released: &[Path]) -> Option<Chain> {
    let mut links = Vec::new();
    for path in released {
        if let Some((Step::At(link), before)) = path.steps.split_last()
            && path.root == first.root
            && before == &first.steps[..]
            && released.contains(&path.at(*link))
        {
            links.push(*link);
        }
    }
    links.sort_unstable();
    let chain = Chain { first: first.clone(), links };
    ((1..=2).contains(&chain.links.len()) && chain.is_run(&[], released)).then_some(chain)
}

#[cfg(test)]
mod tests {
    use super::each_node;
    use watertight_summary::{Effect, KindId, Path, Step};

    fn release(value: Path) -> Effect {
        Effect::Release { value, kind: KindId::HEAP, certain: true }
    }

    fn nth(number: usize) -> Path {
        (0..number).fold(Path::param(0), |path, _| path.at(8))
    }

    #[test]
    fn nodes_to_the_last_name_are_each_node() {
        let mut effects: Vec<Effect> = (0..5).map(|number| release(nth(number))).collect();
        effects.extend((0..4).map(|number| release(nth(number).at(0))));
        each_node(&mut effects);
        let behind = Path::param(0).then(Step::Each { link: 8, also: None });
        let expected = [Path::param(0), behind.clone(), Path::param(0).at(0), behind.at(0)];
        assert_eq!(effects, expected.map(release));
    }

    #[test]
    fn nodes_of_a_tree_are_each_node() {
        let mut nodes = vec![Path::param(0)];
        let mut effects = Vec::new();
        for _ in 0..5 {
            effects.extend(nodes.iter().cloned().map(release));
            nodes = nodes.iter().flat_map(|node| [node.at(0), node.at(8)]).collect();
        }
        each_node(&mut effects);
        let behind = Path::param(0).then(Step::Each { link: 0, also: Some(8) });
        assert_eq!(effects, [Path::param(0), behind].map(release));
    }

    #[test]
    fn a_few_nodes_are_a_few_nodes() {
        let mut effects: Vec<Effect> = (0..3).map(|number| release(nth(number))).collect();
        let before = effects.clone();
        each_node(&mut effects);
        assert_eq!(effects, before);
    }

    #[test]
    fn a_chain_with_a_gap_is_none() {
        let mut effects: Vec<Effect> = [0, 1, 2, 4].into_iter().map(|number| release(nth(number))).collect();
        let before = effects.clone();
        each_node(&mut effects);
        assert_eq!(effects, before);
    }
}

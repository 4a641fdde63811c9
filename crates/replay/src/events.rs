//! What happens in a run between the acquisition and the loss, for those who tell it.
//!
//! In: a run that is made once more because it is shown. Out: a list of [`Event`]s in the order in which they happened: calls
//! that fail inside callees, and what decides in a callee that is shown the resource. What the function itself does is
//! known from its blocks.

use crate::around::Around;
use crate::judge::is_on_trail;
use crate::limits::MOST_EVENTS;
use watertight_interpret::{Hands, HeapId};
use watertight_ir::{BlockId, FuncId, InstId};
use watertight_summary::{CallAt, Witness};

/// Something that happened.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// How many blocks of the function had been entered by then.
    pub blocks: usize,
    /// The calls under way, outermost first; the first is one of the function itself.
    pub calls: Vec<(FuncId, InstId)>,
    pub what: What,
}

#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// The innermost call is of this function, which has no body; it failed and gave this.
    Failed { function: FuncId, word: u64 },
    /// A callee that was shown the resource went from one of its blocks to another.
    Went { function: FuncId, from: BlockId, to: BlockId },
    /// A callee that was shown the resource as these arguments returned this.
    Gave { arguments: Vec<u32>, word: u64 },
}

/// Writes events down.
#[derive(Debug)]
pub(crate) struct Telling {
    acquired: Option<InstId>,
    trail: Vec<CallAt>,
    pub(crate) events: Vec<Event>,
    /// The call of the function that was shown the resource and is under way: its arguments, and where the callee is.
    shown: Option<(InstId, Vec<u32>, Option<BlockId>)>,
}

impl Telling {
    pub(crate) fn new(witness: &Witness) -> Telling {
        let (acquired, trail) = (witness.acquired, witness.trail.clone());
        Telling { acquired, trail, events: Vec::new(), shown: None }
    }

    /// Whether these calls acquired what is told about.
    fn is_meant(&self, origin: &[(FuncId, InstId)]) -> bool {
        let Some((first, inner)) = origin.split_first() else { return false };
        Some(first.1) == self.acquired && is_on_trail(&self.trail, inner)
    }

    fn push(&mut self, event: Event) {
        if self.events.len() < MOST_EVENTS {
            self.events.push(event);
        }
    }
}

impl Around<'_> {
    /// A call without a body failed. One of the function itself is told only if it could have taken the resource: it is known from the
    /// blocks what the function does about others.
    pub(crate) fn tell_failed(
        &mut self,
        hands: &Hands<'_, '_>,
        (function, word): (FuncId, u64),
        args: &[u64],
        could_take: bool,
    ) {
        let Some(mut telling) = self.telling.take() else { return };
        let calls = hands.stack();
        let is_told = match calls.len() {
            1 => could_take && args.iter().any(|&arg| self.is_led_to(&telling, hands, arg)),
            _ => self.is_held(&telling, hands),
        };
        if is_told {
            let blocks = self.passed.len();
            telling.push(Event { blocks, calls, what: What::Failed { function, word } });
        }
        self.telling = Some(telling);
    }

    /// Whether the resource was acquired and is not released.
    fn is_held(&self, telling: &Telling, hands: &Hands<'_, '_>) -> bool {
        let is_live =
            |(block, origin): (u32, &Vec<_>)| telling.is_meant(origin) && !hands.is_released(HeapId(block));
        (0u32..).zip(hands.origins()).any(is_live)
            || self.handles.iter().any(|handle| !handle.released && telling.is_meant(&handle.origin))
    }

    /// Whether a word is the resource, or leads to it.
    fn is_led_to(&self, telling: &Telling, hands: &Hands<'_, '_>, word: u64) -> bool {
        let is_meant = |block: &HeapId| {
            hands.origins().get(block.0 as usize).is_some_and(|origin| telling.is_meant(origin))
        };
        hands.led_to(&[word]).iter().any(is_meant)
            || self
                .handles
                .iter()
                .any(|handle| handle.number == word as u32 && telling.is_meant(&handle.origin))
    }

    /// The function calls one that has a body.
    pub(crate) fn tell_called(&mut self, hands: &Hands<'_, '_>, inst: InstId, args: &[u64]) {
        let Some(mut telling) = self.telling.take() else { return };
        let leads = |arg: u64| self.is_led_to(&telling, hands, arg);
        let shown: Vec<u32> =
            args.iter().zip(0..).filter(|&(&arg, _)| leads(arg)).map(|(_, index)| index).collect();
        telling.shown = (!shown.is_empty()).then_some((inst, shown, None));
        self.telling = Some(telling);
    }

    /// A callee of the function enters a block.
    pub(crate) fn tell_entered(&mut self, function: FuncId, to: BlockId) {
        let (blocks, root) = (self.passed.len(), self.root);
        let Some(telling) = &mut self.telling else { return };
        let Some((inst, _, at)) = &mut telling.shown else { return };
        let (from, inst) = (at.replace(to), *inst);
        if let (Some(from), Some(root)) = (from, root) {
            telling.push(Event {
                blocks,
                calls: vec![(root, inst)],
                what: What::Went { function, from, to },
            });
        }
    }

    /// A callee of the function returns.
    pub(crate) fn tell_returned(&mut self, word: u64) {
        let (blocks, root) = (self.passed.len(), self.root);
        let Some(telling) = &mut self.telling else { return };
        if let (Some((inst, arguments, _)), Some(root)) = (telling.shown.take(), root) {
            telling.push(Event { blocks, calls: vec![(root, inst)], what: What::Gave { arguments, word } });
        }
    }
}

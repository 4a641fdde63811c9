//! The worker's side: evaluates what a driver hands out.

use crate::context::{Context, View};
use crate::elsewhere::wire::{Made, Piece, read_batch, read_told, write_made};
use crate::exits::lost::Exits;
use crate::machine::state::State;
use crate::reuse::key::Keys;
use crate::reuse::portable::Portable;
use crate::schedule::analyse::Options;
use crate::schedule::memory::Turn;
use crate::schedule::run::{component, recursive};
use crate::stories::witness::Stories;
use rayon::prelude::*;
use watertight_ir::{FuncId, Program};
use watertight_summary::model::Models;

/// A program, and what is known of it so far.
pub struct Worker<'w> {
    context: Context<'w>,
    keys: Keys,
    options: &'w Options,
}

impl<'w> Worker<'w> {
    /// `base` stands for options and the version of the engine, as for a [`Recollection`](crate::reuse::Recollection).
    pub fn new(program: &'w Program, library: &'w Models, options: &'w Options, base: &[u8]) -> Worker<'w> {
        let context = Context::new(program, library, options.assumptions);
        let keys = Keys::new(&context, base);
        Worker { context, keys, options }
    }

    /// Evaluates a batch. Nothing if it makes no sense here.
    pub fn work(
        &self,
        bytes: &[u8],
        inspect: &(impl Fn(&mut State<'_>, &Exits) -> Stories + Sync),
    ) -> Option<Vec<u8>> {
        let (told, pieces) = read_batch(&self.context, bytes)?;
        for (function, bytes) in told {
            let (epoch, facts, summary) = read_told(&self.context, bytes)?;
            self.context.learn(function, epoch, facts, summary);
        }
        let made: Vec<Made> = pieces.par_iter().map(|piece| self.make(piece, inspect)).collect();
        Some(write_made(&made))
    }

    fn make(&self, piece: &Piece, inspect: &(impl Fn(&mut State<'_>, &Exits) -> Stories + Sync)) -> Made {
        let begin = (self.options.clock)();
        let record = self.record(piece, inspect);
        let spent = (self.options.clock)().saturating_sub(begin);
        Made { record, micros: spent.as_micros() as u64 }
    }

    fn record(
        &self,
        piece: &Piece,
        inspect: &(impl Fn(&mut State<'_>, &Exits) -> Stories + Sync),
    ) -> Option<Vec<u8>> {
        let context = &self.context;
        let Piece { epoch, key, members } = piece;
        let components = context.order.components();
        let all = components.members(components.of(*members.first()?));
        let has_body = |member: &&FuncId| context.program.functions[**member].body.is_some();
        if !all.iter().filter(has_body).eq(members) {
            return None;
        }
        let view = View::new(context, members, *epoch);
        let turn = Turn { context, members, recursive: recursive(context, all), view: &view };
        let keyed = self.keys.of(turn);
        if keyed.key != *key {
            return None;
        }
        let results = component(turn, self.options, inspect);
        let portable = Portable { keys: &self.keys, context, view: &view, keyed: &keyed, members };
        let record = portable.write(&results)?;
        // The driver need not tell what was found out here.
        for (function, result) in results {
            context.learn(function, *epoch, result.facts, result.summary);
        }
        Some(record)
    }
}

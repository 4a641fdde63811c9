//! What the function that is run is called with.

use crate::around::{Around, Named};
use crate::types;
use watertight_interpret::{Address, Hands};
use watertight_ir::{FuncId, Type};
use watertight_summary::Path;

impl Around<'_> {
    /// The arguments that the function is called with.
    pub(crate) fn arguments(&mut self, hands: &mut Hands<'_, '_>, function: FuncId) -> Vec<u64> {
        let program = self.known.program;
        let data = &program.functions[function];
        if &*data.name == "main" && data.params.len() >= 2 {
            return self.command_line(hands);
        }
        let mut args = Vec::with_capacity(data.params.len());
        let declared = self.known.parameters(function);
        for (index, param) in data.params.iter().enumerate() {
            let path = Path::param(index as u32);
            let wish = self.wished_input(Some(&path));
            let ty = declared[index];
            // What no call passes is passed by nobody, whatever the witness says.
            let passed = self.known.whole.passed(function, index as u32);
            args.push(match param.ty {
                Type::Ptr => {
                    let whole = param.by_value.is_some() || param.struct_result;
                    let never = passed.as_ref().is_some_and(|passed| !passed.numbers.contains(&0));
                    let null = match wish {
                        _ if whole || never => false,
                        _ if passed.is_some_and(|passed| !passed.address) => true,
                        Some(0) => {
                            let null = self.chance.wished_null();
                            self.disobeyed |= !null;
                            null
                        }
                        Some(_) => false,
                        None => !param.non_null && self.chance.seldom(8),
                    };
                    let target = if whole { ty } else { ty.and_then(|ty| types::pointee(program, ty)) };
                    let parameters = target.and_then(|target| types::parameters(program, target));
                    if null && wish.is_none() {
                        self.chance.gave_null(0);
                    }
                    self.null_argument |= null;
                    match parameters {
                        _ if null => 0,
                        Some(parameters) => self.guessed_function(hands, parameters, wish.is_some()),
                        None => {
                            if param.by_value.is_some() {
                                self.own.push(self.names.len() as u32);
                            }
                            let given = self.give(hands, Named { path: Some(path), ty: target, depth: 0 });
                            self.wished_places.extend(wish.map(|wish| (wish, given)));
                            given
                        }
                    }
                }
                Type::Int(bits) => match (wish, passed.filter(|passed| !passed.address)) {
                    (wish, Some(passed)) => match wish {
                        Some(wish) if passed.numbers.contains(&wish) => wish,
                        _ => passed.numbers[self.chance.any(passed.numbers.len())],
                    },
                    (Some(wish), None) => self.wished_number(u64::from(bits.div_ceil(8)).min(8), wish),
                    (None, None) => self.number(hands, u64::from(bits.div_ceil(8)).min(8), 0),
                },
                _ => 0,
            });
        }
        let object = |&word: &u64| hands.given_at(Address(word)).filter(|at| at.1 == 0).map(|at| at.0);
        self.passed_objects = args.iter().map(object).collect();
        args
    }

    /// What `main` is called with: a name and a few words.
    fn command_line(&mut self, hands: &mut Hands<'_, '_>) -> Vec<u64> {
        let wish = self.wished_input(Some(&Path::param(0)));
        let count = wish.filter(|count| (1..=8).contains(count)).unwrap_or(1 + self.chance.pick(4) as u64);
        let words = self.give(hands, Named { path: Some(Path::param(1)), ty: None, depth: 0 });
        for index in 0..=count {
            let path = Path::param(1).at(8 * index as i64);
            let word = if index == count {
                0
            } else {
                self.give(hands, Named { path: Some(path), ty: None, depth: 1 })
            };
            hands.put(Address(words + 8 * index), &word.to_le_bytes());
        }
        vec![count, words, 0]
    }
}

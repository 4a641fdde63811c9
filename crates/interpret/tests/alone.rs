//! Functions run by themselves: each run starts from the same memory, whatever the last one did.

mod common;

use common::{function, program};
use std::cell::RefCell;
use std::rc::Rc;
use watertight_interpret::{Address, Alone, Hands, How, Outside, Reply, World};
use watertight_ir::Type;

/// Answers every question with the same number.
struct Same(u64);

impl World for Same {
    fn call(&mut self, _: &mut Hands<'_, '_>, _: &Outside<'_>) -> Reply {
        Reply::Returns { word: self.0, calls: Vec::new() }
    }

    fn decide(&mut self, hands: &mut Hands<'_, '_>, address: Address, bytes: u64, _: Option<Type>) -> bool {
        hands.put(address, &self.0.to_le_bytes()[..bytes.min(8) as usize])
    }
}

#[test]
fn a_run_leaves_no_trace() {
    let text = "declare @outside() -> i32
global @count: 4 align 4 = { 0: x\"05000000\" }
func @test(%p: ptr) -> i32 {
bb0:
  %old: i32 = load ptr @count
  %new = add %old, i32 1
  store %new to ptr @count
  %again: i32 = load ptr @count
  %cell: i32 = load %p
  store %again to %p
  %more: i32 = call @outside()
  %sum = add %again, %cell
  %all = add %sum, %more
  return %all
}
";
    let program = program(text);
    let test = function(&program, "test");
    let mut alone = Alone::new(&program, 1_000).expect("it can be run");
    for number in [3, 3, 40, 3] {
        let object = alone.prepare(|hands| hands.give(8).expect("there is room")).1;
        let ended = alone.run(test, &[object.0], Rc::new(RefCell::new(Same(number))));
        assert_eq!(ended.how, How::Returned(vec![3 * number + 1]), "variable, cell and result are {number}");
    }
}

#[test]
fn blocks_are_reached_from_what_outlives_the_call() {
    let text = "declare @malloc(i64) -> ptr
global @root: 8 align 8 = { }
func @test(%p: ptr) -> ptr {
bb0:
  %a: ptr = call @malloc(i64 8)
  %b: ptr = call @malloc(i64 8)
  %c: ptr = call @malloc(i64 8)
  %d: ptr = call @malloc(i64 8)
  store %a to ptr @root
  store %b to %p
  store %d to %d
  return %c
}
";
    struct Library;
    impl World for Library {
        fn call(&mut self, _: &mut Hands<'_, '_>, _: &Outside<'_>) -> Reply {
            Reply::Library
        }
        fn decide(&mut self, _: &mut Hands<'_, '_>, _: Address, _: u64, _: Option<Type>) -> bool {
            false
        }
    }
    let program = program(text);
    let mut alone = Alone::new(&program, 1_000).expect("it can be run");
    for _ in 0..2 {
        let object = alone.prepare(|hands| hands.give(8).expect("there is room")).1;
        let ended = alone.run(function(&program, "test"), &[object.0], Rc::new(RefCell::new(Library)));
        assert_eq!(alone.reach(&ended, &[]).blocks, [true, true, true, false]);
        assert!(alone.blocks().all(|(_, released, origin)| !released && origin.len() == 1));
    }
}

//! placeholder until the branch is merged
#[derive(Default)]
pub struct Scratch;
pub fn construct(_body: &mut watertight_ir::Body, _scratch: &mut Scratch, _pointer_bits: u32) {}

//! Places of instructions, as findings name them.

use watertight_finding::Place;
use watertight_ir::{FuncId, InstId, Program};

/// Where an instruction stands, or at least in which file.
pub(crate) fn place_of(program: &Program, function: FuncId, inst: InstId) -> Place {
    let data = &program.functions[function];
    let place = match program.source_place_of(function, inst) {
        Some(place) => {
            let (file, line, column) = place.outermost();
            Place::new(file, line, column)
        }
        None => Place::new(&*program.units[data.unit].name, 0, 0),
    };
    place.in_function(&*data.name)
}

//! `docs/bitcode.md`: its example is the body of the function here, line by line.

use watertight_frontend::bitcode::{Error, Module};

use crate::clang::all;

fn count_instructions(bytes: &[u8]) -> Result<usize, Error> {
    let mut number = 0;
    let module = Module::parse(bytes)?;
    for (id, _) in module.functions().filter(|(_, function)| !function.is_declaration) {
        let body = module.function_body(id)?; // dropped before the next one is read
        for (_, block) in body.blocks() {
            number += body.instructions_of(block).count();
        }
    }
    Ok(number)
}

#[test]
fn the_example_of_the_page_works() {
    for clang in all() {
        let bytes = clang.c("int g(int); int f(int x) { return x ? g(x) : 2; }", &[]);
        assert!(count_instructions(&bytes).is_ok_and(|number| number > 3));
    }
    assert!(count_instructions(b"no bitcode").is_err());
}

#[test]
fn the_page_shows_what_is_tested() {
    let page = include_str!("../../../../docs/bitcode.md");
    let (example, _) =
        page.split("```rust\n").nth(1).and_then(|rest| rest.split_once("```")).expect("an example");
    let here: Vec<&str> = include_str!("page.rs").lines().map(str::trim).collect();
    let untested = example.lines().map(str::trim).find(|line| !here.contains(line));
    assert_eq!(untested, None, "docs/bitcode.md shows a line that is not in page.rs");
}

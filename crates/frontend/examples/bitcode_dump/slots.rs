//! Names and numbers of values, chosen as LLVM's printer chooses them.

use std::fmt::Write as _;

use watertight_frontend::bitcode::{BlockId, FunctionBody, Module, Type, ValueId};

/// Spells a name: in quotes if it has characters that need them.
pub(crate) fn quote(name: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._".contains(byte);
    let digit_first = name.first().is_some_and(u8::is_ascii_digit);
    if !name.is_empty() && !digit_first && name.iter().all(plain) {
        String::from_utf8_lossy(name).into_owned()
    } else {
        format!("\"{}\"", escape(name))
    }
}

/// Spells text inside quotes.
pub(crate) fn escape(text: &[u8]) -> String {
    let mut out = String::new();
    for &byte in text {
        if (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\' {
            out.push(char::from(byte));
        } else if byte == b'\\' {
            out.push_str("\\\\");
        } else {
            let _ = write!(out, "\\{byte:02X}");
        }
    }
    out
}

/// The names of global values, by value number.
pub(crate) struct GlobalNames(Vec<Option<String>>);

impl GlobalNames {
    pub(crate) fn of(module: &Module<'_>) -> Self {
        let mut names = vec![None; module.value_count()];
        let mut next = 0;
        let mut add = |value: ValueId, name: &[u8]| {
            let spelled = if name.is_empty() {
                next += 1;
                format!("@{}", next - 1)
            } else {
                format!("@{}", quote(name))
            };
            names[value.index()] = Some(spelled);
        };
        module.global_variables().for_each(|(_, global)| add(global.value, &global.name));
        module.aliases().for_each(|(_, alias)| add(alias.value, &alias.name));
        module.ifuncs().for_each(|(_, alias)| add(alias.value, &alias.name));
        module.functions().for_each(|(_, function)| add(function.value, &function.name));
        Self(names)
    }

    pub(crate) fn global(&self, value: ValueId) -> &str {
        self.0[value.index()].as_deref().expect("global values have names")
    }
}

/// The names of arguments, blocks and results of one function.
pub(crate) struct Slots {
    first: usize,
    values: Vec<String>,
    blocks: Vec<String>,
}

impl Slots {
    pub(crate) fn of(body: &FunctionBody<'_>) -> Self {
        let first = body.module.value_count();
        let mut slots = Self { first, values: Vec::new(), blocks: Vec::new() };
        let mut next = 0;
        let mut number = |name: Option<&[u8]>| match name {
            Some(name) => format!("%{}", quote(name)),
            None => {
                next += 1;
                format!("%{}", next - 1)
            }
        };
        let function = body.module.function(body.function);
        if let Type::Function { parameters, .. } = body.module.ty(function.function_type) {
            for position in 0..parameters.len() as u32 {
                slots.values.push(number(body.value_name(body.argument(position))));
            }
        }
        for (id, block) in body.blocks() {
            slots.blocks.push(number(body.block_name(id)));
            for (_, instruction) in body.instructions_of(block) {
                if let Some(result) = instruction.result {
                    let index = result.index() - first;
                    if slots.values.len() <= index {
                        slots.values.resize(index + 1, String::new());
                    }
                    slots.values[index] = number(body.value_name(result));
                }
            }
        }
        slots
    }

    pub(crate) fn value(&self, value: ValueId) -> &str {
        &self.values[value.index() - self.first]
    }

    pub(crate) fn block(&self, block: BlockId) -> &str {
        &self.blocks[block.index()]
    }
}

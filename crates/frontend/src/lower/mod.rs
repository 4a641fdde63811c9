//! From an LLVM module to a program of one unit.
//!
//! In: a decoded [`Module`]. Out: a [`Program`] with our types, operations, names and places. Every symbol
//! gets an id first, so references between functions, globals and initialisers need no second pass; then
//! globals become images and bodies are decoded, lowered and dropped one at a time.
//!
//! What must hold: no meaning is lost silently. What has no operation of ours is an explicit `unknown`,
//! and a body that cannot be decoded leaves a declaration and a [`LeftOut`]. The program obeys the rules of
//! the IR, whatever the bitcode says: a body that breaks one is left out too.

mod address;
mod aggregate;
mod body;
mod call;
mod constant;
mod debug;
mod image;
mod instruction;
mod intrinsics;
mod layout;
mod linear;
mod symbols;
#[cfg(test)]
mod tests;
mod types;
mod vector;

use crate::bitcode::{
    AllocKind, AllocSize, Attribute, AttributeKind, AttributeListId, AttributePlace, Error as BitcodeError,
    Function, FunctionBody, FunctionId, GlobalVariable, Linkage as LlvmLinkage, Metadata, MetadataKind,
    Module, ThreadLocal, Type as LlvmType, TypeId,
};
use crate::{join, labels, ssa, unused};
use body::{Shared, Work, lower_body};
use call::CallFacts;
use debug::Debug;
use intrinsics::Intrinsics;
use layout::Layouts;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::fmt;
use symbols::Symbols;
use types::{Types, is_value};
use watertight_ir::{
    self as ir, BodyBuilder, DebugInfo, FuncId, FunctionAttrs, Global, Id, Linkage, Param, Problem, Program,
    Symbol, Target, Type, Unit, UnitId, Violation, verify,
};

/// Whether bodies are brought into SSA form.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// Variables live in memory, as the compiler wrote them.
    Memory,
    /// Variables whose address is not taken are values.
    #[default]
    Ssa,
}

/// A program of one unit, and what of the unit is not in it.
#[derive(Debug)]
pub struct Lowered {
    pub program: Program,
    /// Functions that are declared in the program and defined in the module, in order.
    pub left_out: Vec<LeftOut>,
}

/// A function without its body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    pub function: Box<str>,
    pub reason: Reason,
}

/// Why a body is left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It cannot be decoded.
    Bitcode(BitcodeError),
    /// It cannot be expressed.
    Inexpressible(Box<str>),
}

impl From<BitcodeError> for Reason {
    fn from(error: BitcodeError) -> Reason {
        Reason::Bitcode(error)
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Reason {
        Reason::Inexpressible(text.into())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Bitcode(error) => error.fmt(f),
            Reason::Inexpressible(text) => f.write_str(text),
        }
    }
}

/// Lowers a module; `name` is the source file as the user named it. What is left out is a problem of the program.
pub fn lower(module: &Module<'_>, name: &str, form: Form) -> Program {
    let Lowered { mut program, left_out } = lower_and_list(module, name, form);
    program.problems.extend(left_out.iter().map(|LeftOut { function, reason }| Problem {
        subject: name.into(),
        message: format!("function `{function}` is left out: {reason}").into(),
    }));
    program
}

/// Lowers the modules of one unit, and puts them together if it was compiled in parts. What nobody uses is left out.
pub fn lower_parts(modules: &[Module<'_>], name: &str, form: Form) -> Lowered {
    if let [module] = modules {
        let mut lowered = lower_and_list(module, name, form);
        unused::remove(&mut lowered.program);
        return lowered;
    }
    let parts: Vec<Lowered> = modules.par_iter().map(|module| lower_and_list(module, name, form)).collect();
    let (programs, left_out): (Vec<Program>, Vec<Vec<LeftOut>>) =
        parts.into_iter().map(|part| (part.program, part.left_out)).unzip();
    let mut left_out = left_out.concat();
    // What stands in several parts is left out of each.
    let mut told = FxHashSet::default();
    left_out.retain(|function| told.insert(function.function.clone()));
    Lowered { program: join::unite(programs), left_out }
}

/// Lowers a module, and lists what is left out instead of only telling of it.
pub fn lower_and_list(module: &Module<'_>, name: &str, form: Form) -> Lowered {
    let layouts = Layouts::new(module);
    let symbols = Symbols::new(module, &layouts);
    let shared = Shared {
        symbols: &symbols,
        types: Types::new(module, &layouts),
        debug: Debug::new(module),
        intrinsics: Intrinsics::new(module),
        call_facts: CallFacts::new(module),
    };
    let target = Target {
        triple: module.triple.clone(),
        pointer_bits: layouts.data.pointer_bits,
        endian: layouts.data.endian,
    };
    UnitLowering {
        module,
        shared,
        name,
        form,
        problems: Vec::new(),
        left_out: Vec::new(),
        decoded: FunctionBody::new(module),
        builder: BodyBuilder::new(&[]),
        work: Work::default(),
        scratch: ssa::Scratch::default(),
        target,
        images: image::Budget::default(),
    }
    .run()
}

struct UnitLowering<'m> {
    module: &'m Module<'m>,
    shared: Shared<'m>,
    name: &'m str,
    form: Form,
    problems: Vec<Problem>,
    left_out: Vec<LeftOut>,
    /// The body at hand, as LLVM has it.
    decoded: FunctionBody<'m>,
    /// The body at hand, as we have it.
    builder: BodyBuilder,
    work: Work,
    scratch: ssa::Scratch,
    target: Target,
    images: image::Budget,
}

impl<'m> UnitLowering<'m> {
    fn run(mut self) -> Lowered {
        let module = self.module;
        let mut program = Program { target: self.target.clone(), ..Program::default() };
        let unit = program.units.push(Unit { name: self.name.into(), debug: DebugInfo::default() });
        for (_, global) in module.global_variables() {
            let global = self.global(global);
            program.globals.push(global);
        }
        for (id, function) in module.functions() {
            if self.shared.symbols.function(id).is_some() {
                let function = self.declaration(function);
                program.functions.push(function);
            }
        }
        for (_, ifunc) in module.ifuncs() {
            let name = ifunc.name_lossy();
            program.functions.push(self.signature(&name, ifunc.value_type, ifunc.linkage, None));
        }
        for (id, alias) in module.aliases() {
            match self.shared.symbols.alias(id) {
                Some((symbol @ (Symbol::Func(_) | Symbol::Global(_)), 0)) => {
                    program.aliases.push((alias.name_lossy().into(), symbol));
                }
                _ => self.problem(format!("the alias `{}` is not a plain symbol", alias.name_lossy())),
            }
        }
        for (id, function) in module.functions() {
            if let Some(own) = self.shared.symbols.function(id)
                && !function.is_declaration
                && let Err(reason) = self.define(id, own, &mut program)
            {
                self.left_out.push(LeftOut { function: function.name_lossy().into(), reason });
            }
        }
        if self.shared.symbols.labels_are_used() {
            let removed = labels::settle(&mut program);
            if removed > 0 {
                self.problem(format!("{removed} addresses of labels lead nowhere"));
            }
        }
        let mut info = self.shared.debug.info;
        info.names.freeze();
        program.units[unit].debug = info;
        program.aggregates = self.shared.types.aggregates;
        program.problems = self.problems;
        Lowered { program, left_out: self.left_out }
    }

    fn problem(&mut self, message: String) {
        self.problems.push(Problem { subject: self.name.into(), message: message.into() });
    }

    fn global(&mut self, global: &GlobalVariable<'_>) -> Global {
        let module = self.module;
        let mut notes = Vec::new();
        let size = self.shared.types.layouts.of(global.value_type).stride;
        let image = global
            .initializer
            .map(|id| image::image(self.shared.symbols, id, size, &mut self.images, &mut notes));
        for note in notes {
            self.problem(format!("global `{}`: {note}", global.name_lossy()));
        }
        let layout = self.shared.types.layouts.of(global.value_type);
        let described = global.attachments.iter().filter(|attachment| attachment.kind == MetadataKind::DEBUG);
        let info = described
            .filter_map(|attachment| match module.metadata(attachment.node)? {
                Metadata::GlobalVariableExpression { variable, .. } => match module.metadata((*variable)?)? {
                    Metadata::GlobalVariable(info) => Some(**info),
                    _ => None,
                },
                _ => None,
            })
            .next();
        let debug = &mut self.shared.debug;
        Global {
            name: global.name_lossy().into(),
            unit: UnitId::new(0),
            linkage: linkage(global.linkage),
            bytes: layout.stride,
            align: global
                .align
                .bytes()
                .and_then(|align| u32::try_from(align).ok())
                .unwrap_or(layout.align as u32),
            constant: global.constant,
            thread_local: global.thread_local != ThreadLocal::No,
            image,
            debug_type: info.and_then(|info| debug.ty(module, info.ty)),
            place: info.map(|info| (debug.file(module, info.file), info.line)),
            source_name: info.and_then(|info| debug.name(module, info.name)),
        }
    }

    fn declaration(&mut self, function: &Function<'_>) -> ir::Function {
        let name = function.name_lossy();
        let mut lowered =
            self.signature(&name, function.function_type, function.linkage, function.attributes);
        if function.is_declaration {
            let node = function.attachments.iter().find(|attachment| attachment.kind == MetadataKind::DEBUG);
            if let Some(Metadata::Subprogram(subprogram)) =
                node.and_then(|node| self.module.metadata(node.node))
            {
                lowered.debug_type = self.shared.debug.ty(self.module, subprogram.ty);
            }
        }
        lowered
    }

    /// Gives the function `own` its body, or says why it cannot have one.
    fn define(&mut self, id: FunctionId, own: FuncId, program: &mut Program) -> Result<(), Reason> {
        let function = &mut program.functions[own];
        if !has_params(self.module, id, function) {
            return Err("it takes or returns values that cannot be represented".into());
        }
        self.module.function_body_into(id, &mut self.decoded)?;
        self.shared.debug.next_function();
        self.builder.restart(&function.params);
        let llvm = &self.decoded;
        let place = lower_body(&mut self.shared, llvm, &mut self.builder, &mut self.work)
            .map_err(|body::Overgrown| "its body is out of all proportion to its bitcode")?;
        if let Some(Metadata::Subprogram(subprogram)) = llvm.subprogram.and_then(|id| llvm.metadata(id)) {
            let ty = subprogram.ty;
            function.debug_type = self.shared.debug.ty(llvm, ty);
        }
        function.place = place;
        function.body = Some(std::mem::take(&mut self.builder.body));
        // The reader does not check all that LLVM's verifier does, and what comes after us trusts the rules.
        let violation = self.first_violation(program, own);
        let function = &mut program.functions[own];
        self.builder.body = function.body.take().unwrap_or_default();
        if let Some(violation) = violation {
            function.place = None;
            return Err(format!("{}: {}", violation.subject, violation.message).as_str().into());
        }
        if self.form == Form::Ssa {
            let surroundings =
                ssa::Surroundings { target: &self.target, aggregates: &self.shared.types.aggregates };
            let body = &mut self.builder.body;
            ssa::construct_in_place(surroundings, body, &mut self.shared.debug.info, &mut self.scratch);
        }
        program.functions[own].body = Some(self.builder.take());
        Ok(())
    }

    /// The verifier wants a program; it borrows the tables that are still growing here.
    fn first_violation(&mut self, program: &mut Program, own: FuncId) -> Option<Violation> {
        let mut lend = |program: &mut Program| {
            std::mem::swap(&mut program.units[UnitId::new(0)].debug, &mut self.shared.debug.info);
            std::mem::swap(&mut program.aggregates, &mut self.shared.types.aggregates);
        };
        lend(program);
        let violation = verify::first_violation(program, own);
        lend(program);
        violation
    }

    fn signature(
        &mut self,
        name: &str,
        function_type: TypeId,
        link: LlvmLinkage,
        attributes: Option<AttributeListId>,
    ) -> ir::Function {
        let module = self.module;
        let (result, params, variadic) = match module.ty(function_type) {
            LlvmType::Function { result, parameters, varargs } => {
                let params = parameters.iter().enumerate();
                let params: Box<[Param]> =
                    params.map(|(index, &ty)| self.param(ty, attributes, index as u32)).collect();
                let result = self.shared.types.convert(*result);
                if params.iter().all(|param| is_value(param.ty)) && (result == Type::Void || is_value(result))
                {
                    (result, params, *varargs)
                } else {
                    (Type::Void, Box::default(), true)
                }
            }
            _ => (Type::Void, Box::default(), true),
        };
        ir::Function {
            name: name.into(),
            unit: UnitId::new(0),
            linkage: linkage(link),
            params,
            result,
            variadic,
            attrs: function_attrs(module, attributes),
            place: None,
            debug_type: None,
            body: None,
        }
    }

    fn param(&mut self, ty: TypeId, attributes: Option<AttributeListId>, index: u32) -> Param {
        let module = self.module;
        let pointee = match module.ty(ty) {
            LlvmType::Pointer { pointee, .. } => *pointee,
            _ => None,
        };
        let place = AttributePlace::Parameter(index);
        let ty = self.shared.types.convert(ty);
        if ty != Type::Ptr {
            return Param::plain(ty);
        }
        Param {
            ty,
            by_value: self.shared.by_value(attributes, index, pointee),
            struct_result: module.has_attribute(attributes, place, AttributeKind::StructReturn),
            non_null: module.has_attribute(attributes, place, AttributeKind::NonNull),
        }
    }
}

/// Whether our function has the parameters of LLVM's.
fn has_params(module: &Module<'_>, id: FunctionId, lowered: &ir::Function) -> bool {
    match module.ty(module.function(id).function_type) {
        LlvmType::Function { parameters, .. } => parameters.len() == lowered.params.len(),
        _ => false,
    }
}

fn function_attrs(module: &Module<'_>, list: Option<AttributeListId>) -> FunctionAttrs {
    let mut attrs = FunctionAttrs::default();
    for attribute in module.attributes(list, AttributePlace::Function) {
        match attribute {
            Attribute::Flag(AttributeKind::NoReturn) => attrs.no_return = true,
            Attribute::Flag(AttributeKind::ReturnsTwice) => attrs.returns_twice = true,
            Attribute::Flag(AttributeKind::Cold) => attrs.cold = true,
            Attribute::Flag(AttributeKind::ReadNone) => attrs.no_memory = true,
            Attribute::Flag(AttributeKind::ReadOnly) => attrs.read_only = true,
            // Two bits per kind of memory: 1 reads, 2 writes.
            Attribute::Integer(AttributeKind::Memory, effects) => {
                attrs.no_memory = effects == 0;
                attrs.read_only = effects & 0xAAAA_AAAA == 0 && effects != 0;
            }
            Attribute::Integer(AttributeKind::AllocSize, packed) => {
                let sizes = AllocSize::unpack(packed);
                attrs.alloc_size = Some((sizes.element_size, sizes.count));
            }
            Attribute::Integer(AttributeKind::AllocKind, bits) => attrs.alloc_kind = AllocKind(bits).0 as u32,
            Attribute::Text { key: "alloc-family", value } => attrs.alloc_family = Some(value.into()),
            _ => {}
        }
    }
    attrs.result_no_alias = module.has_attribute(list, AttributePlace::Result, AttributeKind::NoAlias);
    attrs.result_non_null = module.has_attribute(list, AttributePlace::Result, AttributeKind::NonNull);
    attrs
}

fn linkage(linkage: LlvmLinkage) -> Linkage {
    match linkage {
        LlvmLinkage::External | LlvmLinkage::Appending => Linkage::External,
        LlvmLinkage::Internal | LlvmLinkage::Private => Linkage::Internal,
        LlvmLinkage::WeakAny | LlvmLinkage::WeakOdr => Linkage::Weak,
        LlvmLinkage::LinkOnceAny | LlvmLinkage::LinkOnceOdr => Linkage::LinkOnce,
        LlvmLinkage::Common => Linkage::Common,
        LlvmLinkage::AvailableExternally => Linkage::AvailableExternally,
        LlvmLinkage::ExternalWeak => Linkage::ExternWeak,
    }
}

//! Prints a bitcode file in LLVM's own syntax, without attributes and with debug information spelled out
//! in place, so that it can be compared with the output of `llvm-dis` line by line.
//!
//! `cargo run --release -p watertight-frontend --example bitcode_dump -- FILE`

mod constants;
mod instructions;
mod nodes;
mod slots;

use std::fmt::Write as _;
use std::process::ExitCode;

use watertight_frontend::bitcode::{
    Alias, Function, FunctionBody, Linkage, Module, ThreadLocal, Type, TypeId, Visibility,
};

use slots::GlobalNames;

fn main() -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for file in std::env::args_os().skip(1) {
        match dump_file(&file) {
            Ok(text) => print!("{text}"),
            Err(message) => {
                eprintln!("{}: {message}", file.display());
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

fn dump_file(file: &std::ffi::OsStr) -> Result<String, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let module = Module::parse(&bytes).map_err(|error| error.to_string())?;
    let dump = Dump { module: &module, names: GlobalNames::of(&module) };
    let mut out = String::new();
    dump.types(&mut out);
    dump.global_variables(&mut out);
    dump.aliases(&mut out);
    nodes::module_nodes(&module, &mut out);
    for (id, function) in module.functions() {
        if function.is_declaration {
            let _ = writeln!(out, "declare {}", dump.header(function));
        } else {
            let body = module.function_body(id).map_err(|error| error.to_string())?;
            let _ = writeln!(out, "define {} {{", dump.header(function));
            instructions::body(&dump, &body, &mut out);
            out.push_str("}\n");
            nodes::function_nodes(&body, &mut out);
        }
    }
    Ok(out)
}

/// What every printing function needs.
pub(crate) struct Dump<'m> {
    pub(crate) module: &'m Module<'m>,
    pub(crate) names: GlobalNames,
}

impl Dump<'_> {
    fn types(&self, out: &mut String) {
        for (id, ty) in self.module.types() {
            match ty {
                Type::Struct { name: Some(_), packed, fields } => {
                    let _ = writeln!(out, "{} = type {}", self.ty(id), self.fields(*packed, fields));
                }
                Type::Opaque { .. } => {
                    let _ = writeln!(out, "{} = type opaque", self.ty(id));
                }
                _ => {}
            }
        }
    }

    fn fields(&self, packed: bool, fields: &[TypeId]) -> String {
        let inner: Vec<_> = fields.iter().map(|&field| self.ty(field)).collect();
        let inner = if inner.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", inner.join(", ")) };
        if packed { format!("<{inner}>") } else { inner }
    }

    pub(crate) fn ty(&self, id: TypeId) -> String {
        match self.module.ty(id) {
            Type::Void => "void".into(),
            Type::Half => "half".into(),
            Type::BFloat => "bfloat".into(),
            Type::Float => "float".into(),
            Type::Double => "double".into(),
            Type::X86Fp80 => "x86_fp80".into(),
            Type::Fp128 => "fp128".into(),
            Type::PpcFp128 => "ppc_fp128".into(),
            Type::Label => "label".into(),
            Type::Metadata => "metadata".into(),
            Type::Token => "token".into(),
            Type::X86Mmx => "x86_mmx".into(),
            Type::X86Amx => "x86_amx".into(),
            Type::Integer { bits } => format!("i{bits}"),
            Type::Pointer { address_space, pointee } => {
                let space = match address_space {
                    0 => String::new(),
                    number => format!(" addrspace({number})"),
                };
                match pointee {
                    Some(pointee) => format!("{}{space}*", self.ty(*pointee)),
                    None => format!("ptr{space}"),
                }
            }
            Type::Array { element, count } => format!("[{count} x {}]", self.ty(*element)),
            Type::Vector { element, count, scalable } => {
                format!("<{}{count} x {}>", if *scalable { "vscale x " } else { "" }, self.ty(*element))
            }
            Type::Struct { name: Some(name), .. } | Type::Opaque { name } => {
                format!("%{}", slots::quote(name.as_bytes()))
            }
            Type::Struct { name: None, packed, fields } => self.fields(*packed, fields),
            Type::Function { result, parameters, varargs } => {
                let mut inner: Vec<_> = parameters.iter().map(|&parameter| self.ty(parameter)).collect();
                if *varargs {
                    inner.push("...".into());
                }
                format!("{} ({})", self.ty(*result), inner.join(", "))
            }
            Type::TargetExtension { name, types, integers } => {
                let mut inner = vec![format!("\"{name}\"")];
                inner.extend(types.iter().map(|&ty| self.ty(ty)));
                inner.extend(integers.iter().map(u32::to_string));
                format!("target({})", inner.join(", "))
            }
        }
    }

    fn global_variables(&self, out: &mut String) {
        for (_, global) in self.module.global_variables() {
            let _ = write!(out, "{} = ", self.names.global(global.value));
            let external = global.initializer.is_none() && global.linkage == Linkage::External;
            let _ = write!(out, "{}", if external { "external " } else { linkage(global.linkage) });
            let _ = write!(out, "{}", visibility(global.visibility));
            let _ = write!(out, "{}", thread_local(global.thread_local));
            if global.address_space != 0 {
                let _ = write!(out, "addrspace({}) ", global.address_space);
            }
            if global.externally_initialized {
                out.push_str("externally_initialized ");
            }
            let _ = write!(out, "{} ", if global.constant { "constant" } else { "global" });
            let _ = write!(out, "{}", self.ty(global.value_type));
            if let Some(initializer) = global.initializer {
                let _ = write!(out, " {}", constants::module_value(self, initializer));
            }
            if let Some(section) = &global.section {
                let _ = write!(out, ", section \"{}\"", slots::escape(section.as_bytes()));
            }
            if let Some(align) = global.align.bytes() {
                let _ = write!(out, ", align {align}");
            }
            out.push('\n');
        }
    }

    fn aliases(&self, out: &mut String) {
        let mut print = |keyword: &str, alias: &Alias<'_>| {
            let target_type = self.module.value_type(alias.target).expect("targets are module values");
            let _ = writeln!(
                out,
                "{} = {}{}{}{keyword} {}, {} {}",
                self.names.global(alias.value),
                linkage(alias.linkage),
                visibility(alias.visibility),
                thread_local(alias.thread_local),
                self.ty(alias.value_type),
                self.ty(target_type),
                constants::module_value(self, alias.target),
            );
        };
        self.module.aliases().for_each(|(_, alias)| print("alias", alias));
        self.module.ifuncs().for_each(|(_, alias)| print("ifunc", alias));
    }

    fn header(&self, function: &Function<'_>) -> String {
        let Type::Function { result, parameters, varargs } = self.module.ty(function.function_type) else {
            unreachable!("functions have function types");
        };
        let mut inner: Vec<_> = parameters.iter().map(|&parameter| self.ty(parameter)).collect();
        if *varargs {
            inner.push("...".into());
        }
        let convention = instructions::convention(function.calling_convention);
        let name = self.names.global(function.value);
        let (linkage, visibility) = (linkage(function.linkage), visibility(function.visibility));
        format!("{linkage}{visibility}{convention}{} {name}({})", self.ty(*result), inner.join(", "))
    }
}

/// The value of a function's own scope, with names for its parts.
pub(crate) struct BodyDump<'d> {
    pub(crate) dump: &'d Dump<'d>,
    pub(crate) body: &'d FunctionBody<'d>,
    pub(crate) slots: slots::Slots,
}

fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::External => "",
        Linkage::AvailableExternally => "available_externally ",
        Linkage::LinkOnceAny => "linkonce ",
        Linkage::LinkOnceOdr => "linkonce_odr ",
        Linkage::WeakAny => "weak ",
        Linkage::WeakOdr => "weak_odr ",
        Linkage::Appending => "appending ",
        Linkage::Internal => "internal ",
        Linkage::Private => "private ",
        Linkage::ExternalWeak => "extern_weak ",
        Linkage::Common => "common ",
    }
}

fn visibility(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Default => "",
        Visibility::Hidden => "hidden ",
        Visibility::Protected => "protected ",
    }
}

fn thread_local(mode: ThreadLocal) -> &'static str {
    match mode {
        ThreadLocal::No => "",
        ThreadLocal::GeneralDynamic => "thread_local ",
        ThreadLocal::LocalDynamic => "thread_local(localdynamic) ",
        ThreadLocal::InitialExec => "thread_local(initialexec) ",
        ThreadLocal::LocalExec => "thread_local(localexec) ",
    }
}

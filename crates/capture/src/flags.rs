//! Understanding the arguments of one compiler command.
//!
//! In: the arguments after the compiler's name, response files expanded. Out: an [`Invocation`]: the sources with
//! their languages, the flags worth keeping in order, the output, how far the command goes, and the flags that
//! were dropped with a note. Flags are classified by `kept_flags.rs` and `flag_table.rs`; there is no other list of
//! flags.
//!
//! Every argument ends in exactly one place; nothing is both kept and dropped. What is kept is written so that clang
//! cannot read it as anything else: in the one spelling that every clang knows, and with no value that begins with `-`
//! or `@`. A value that stands alone would be a flag if clang thought that the flag before it takes none, and a
//! response file in any case.
//!
//! `-O2 -Iinc -DX -Wall -c a.c -o a.o` keeps `-Iinc -DX`, compiles `a.c` to `a.o` and drops the rest in silence.

use crate::captured::Language;
use crate::flag_table::{EXTENSIONS, Fate, FileKind, LANGUAGES, Shape, UNDERSTOOD};
use crate::kept_flags::{KEPT, RESPELT};

/// One flag that is kept: the flag and its value, if that is a separate argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flag {
    pub(crate) text: String,
    pub(crate) value: Option<String>,
    /// Whether it belongs to the content key: see [`Fate::KeepForCode`].
    pub(crate) code: bool,
}

impl Flag {
    /// The arguments as they are understood.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.text.as_str()).chain(self.value.as_deref())
    }

    /// The arguments as clang gets them. What is included in front of a source goes past the driver, which would read a
    /// compiled `x.h.pch` or `x.h.gch` instead of `x.h`: that is code in clang's own form, which clang trusts.
    pub(crate) fn for_clang(&self) -> impl Iterator<Item = &str> {
        let past = self.text == "-include";
        self.arguments().flat_map(move |argument| past.then_some("-Xclang").into_iter().chain([argument]))
    }

    /// The flag as a note shows it.
    pub(crate) fn display(&self) -> String {
        self.arguments().collect::<Vec<_>>().join(" ")
    }
}

/// How far a command goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Compiles and links.
    Link,
    /// Compiles to an object file.
    Compile,
    /// Compiles to assembly.
    Assemble,
    Preprocess,
    Dependencies,
    Syntax,
    Query,
}

/// One positional argument, with the `-x` in force where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InputFile {
    pub(crate) path: String,
    /// `None` for object files, libraries and everything else the linker gets.
    pub(crate) kind: Option<FileKind>,
}

/// One compiler command, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invocation {
    pub(crate) inputs: Vec<InputFile>,
    pub(crate) flags: Vec<Flag>,
    pub(crate) output: Option<String>,
    pub(crate) action: Action,
    /// Flags dropped with a note.
    pub(crate) noted: Vec<String>,
}

/// Which language an input without `-x` has when its name says C: a C++ driver reads `.c` files as C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driver {
    C,
    Cxx,
}

/// The kind of a file by its name.
pub(crate) fn kind_of_name(path: &str) -> Option<FileKind> {
    let name = path.rsplit('/').next()?;
    let extension = name.rsplit_once('.').map(|(_, extension)| extension)?;
    EXTENSIONS.iter().find(|(_, known)| known.contains(&extension)).map(|(kind, _)| *kind)
}

/// The language of a kind of file that can become a unit.
pub(crate) fn language_of(kind: FileKind) -> Option<Language> {
    match kind {
        FileKind::C => Some(Language::C),
        FileKind::Cxx => Some(Language::Cxx),
        FileKind::PreprocessedC => Some(Language::PreprocessedC),
        FileKind::PreprocessedCxx => Some(Language::PreprocessedCxx),
        FileKind::LlvmAssembly => Some(Language::Assembly),
        FileKind::LlvmBitcode => Some(Language::Bitcode),
        FileKind::Header | FileKind::AssemblySource | FileKind::OtherLanguage => None,
    }
}

/// Understands the arguments that follow the compiler's name.
pub(crate) fn parse(arguments: &[String], driver: Driver) -> Invocation {
    let mut invocation = Invocation {
        inputs: Vec::new(),
        flags: Vec::new(),
        output: None,
        action: Action::Link,
        noted: Vec::new(),
    };
    let mut stage = Stage::default();
    let mut language: Option<FileKind> = None;
    let mut only_inputs = false;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if only_inputs || argument == "-" || !argument.starts_with('-') {
            let kind =
                language.or_else(|| kind_of_name(argument)).or((argument == "-").then_some(FileKind::C));
            let kind = match (kind, driver) {
                (Some(FileKind::C), Driver::Cxx) if language.is_none() => Some(FileKind::Cxx),
                _ => kind,
            };
            invocation.inputs.push(InputFile { path: argument.clone(), kind });
            continue;
        }
        if argument == "--" {
            only_inputs = true;
            continue;
        }
        // How build systems name the text behind a compiled header, which itself is not read.
        if let ("-Xclang", [include, past, file, ..]) = (argument.as_str(), rest.as_slice())
            && (include.as_str(), past.as_str()) == ("-include", "-Xclang")
        {
            invocation.flags.extend(kept("-include", Shape::Either, "-include", Some(file), false));
            rest.nth(2);
            continue;
        }
        let (fate, spelling, shape) = classify(argument);
        let joined = &argument[spelling.len().min(argument.len())..];
        let value = match shape {
            Shape::Separate => rest.next(),
            Shape::Either if joined.is_empty() => rest.next(),
            _ => None,
        };
        let given = || value.cloned().unwrap_or_else(|| joined.to_owned());
        match fate {
            Fate::Output => invocation.output = Some(given()),
            Fate::Language => {
                let name = given();
                language = match name.as_str() {
                    "none" => None,
                    name => Some(
                        LANGUAGES
                            .iter()
                            .find(|(_, known)| known.contains(&name))
                            .map_or(FileKind::OtherLanguage, |(kind, _)| *kind),
                    ),
                };
            }
            Fate::Compile => stage.compile = true,
            Fate::Assemble => stage.assemble = true,
            Fate::Preprocess => stage.preprocess = true,
            Fate::Dependencies => stage.dependencies = true,
            Fate::Syntax => stage.syntax = true,
            Fate::Query => stage.query = true,
            Fate::Drop => {}
            Fate::DropWithNote => invocation.noted.push(display(argument, value)),
            Fate::Preprocessor => preprocessor_arguments(&given(), &mut invocation.flags),
            Fate::KeepForText | Fate::KeepForCode | Fate::KeepForPosition => {
                let incomplete =
                    matches!(shape, Shape::Separate | Shape::Either) && joined.is_empty() && value.is_none();
                if incomplete {
                    continue;
                }
                match kept(spelling, shape, argument, value, fate == Fate::KeepForCode) {
                    Some(flag) => invocation.flags.push(flag),
                    None => invocation.noted.push(display(argument, value)),
                }
            }
        }
    }
    invocation.action = stage.action();
    invocation
}

/// The stage options seen, of which the earliest stage wins, as in gcc.
#[derive(Default)]
struct Stage {
    query: bool,
    dependencies: bool,
    preprocess: bool,
    syntax: bool,
    assemble: bool,
    compile: bool,
}

impl Stage {
    fn action(&self) -> Action {
        match self {
            Stage { query: true, .. } => Action::Query,
            Stage { dependencies: true, .. } => Action::Dependencies,
            Stage { preprocess: true, .. } => Action::Preprocess,
            Stage { syntax: true, .. } => Action::Syntax,
            Stage { assemble: true, .. } => Action::Assemble,
            Stage { compile: true, .. } => Action::Compile,
            _ => Action::Link,
        }
    }
}

/// The row of the tables with the longest spelling that matches; flags that nobody knows do not reach clang.
fn classify(argument: &str) -> (Fate, &'static str, Shape) {
    let mut best = (Fate::DropWithNote, "", Shape::Exact);
    for (fate, shape, spellings) in KEPT.iter().chain(UNDERSTOOD) {
        for spelling in *spellings {
            let matches = match shape {
                Shape::Exact | Shape::Separate => argument == *spelling,
                Shape::Joined | Shape::Either => argument.starts_with(spelling),
            };
            // An exact spelling wins over a prefix of the same length.
            let exact = matches!(shape, Shape::Exact | Shape::Separate);
            if matches && (spelling.len() > best.1.len() || (spelling.len() == best.1.len() && exact)) {
                best = (*fate, spelling, *shape);
            }
        }
    }
    best
}

/// A kept flag as clang gets it; `None` if its value could be taken for a flag.
fn kept(
    spelling: &'static str,
    shape: Shape,
    argument: &str,
    value: Option<&String>,
    code: bool,
) -> Option<Flag> {
    let alone = |text: String| Some(Flag { text, value: None, code });
    let respelt = RESPELT.iter().find(|(from, _)| *from == spelling).map(|(_, to)| *to);
    if respelt.is_none() && matches!(shape, Shape::Exact | Shape::Joined) {
        return alone(argument.to_owned());
    }
    let name = respelt.unwrap_or(spelling);
    let joined = &argument[spelling.len()..];
    // One letter joins its value safely: no flag of clang begins with `-I`, `-D`, `-U` or `-F` and means something else.
    // `-isystem` and `-isystem-after` show why longer ones do not.
    if name.ends_with('=') || (name.len() == 2 && (value.is_none() || respelt.is_some())) {
        return joined_to(name, value.map_or(joined, String::as_str), code);
    }
    let given = value.cloned().unwrap_or_else(|| joined.to_owned());
    let value = match given.starts_with(['-', '@']) {
        false => given,
        // No macro and no machine has such a name; a file may.
        true if matches!(name, "-D" | "-U" | "-arch") => return None,
        true => format!("./{given}"),
    };
    Some(Flag { text: name.to_owned(), value: Some(value), code })
}

/// A flag with its value in one argument; `None` without a value, in whose place clang would take our next argument.
fn joined_to(name: &str, given: &str, code: bool) -> Option<Flag> {
    let complete = name.ends_with('=') || !given.is_empty();
    complete.then(|| Flag { text: format!("{name}{given}"), value: None, code })
}

fn display(argument: &str, value: Option<&String>) -> String {
    match value {
        Some(value) => format!("{argument} {value}"),
        None => argument.to_owned(),
    }
}

/// `-Wp,-DX,-MD,file`: definitions are kept, dependency output goes with its file name.
fn preprocessor_arguments(list: &str, flags: &mut Vec<Flag>) {
    let mut parts = list.split(',');
    while let Some(part) = parts.next() {
        match part {
            "-MD" | "-MMD" | "-MF" | "-MT" | "-MQ" => {
                parts.next();
            }
            _ => {
                let Some(name) = ["-D", "-U", "-I"].into_iter().find(|name| part.starts_with(name)) else {
                    continue;
                };
                let given =
                    Some(&part[name.len()..]).filter(|given| !given.is_empty()).or_else(|| parts.next());
                flags.extend(given.and_then(|given| joined_to(name, given, false)));
            }
        }
    }
}

/// The directories that the flags add to the header search.
pub(crate) fn include_directories(flags: &[Flag]) -> Vec<&str> {
    const SEARCH: &[&str] = &["-isystem", "-iquote", "-idirafter", "-I"];
    flags
        .iter()
        .filter_map(|flag| {
            let joined = SEARCH.iter().find_map(|spelling| flag.text.strip_prefix(spelling))?;
            Some(if joined.is_empty() { flag.value.as_deref()? } else { joined })
        })
        .collect()
}

/// The target that the flags name, if they do.
pub(crate) fn target_of(flags: &[Flag]) -> Option<&str> {
    flags.iter().rev().find_map(|flag| match flag.text.as_str() {
        "-target" => flag.value.as_deref(),
        text => text.strip_prefix("--target="),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(String::from).collect()
    }

    /// The invocation as one line: action, output, inputs with kinds, kept flags (`!` marks those in the content
    /// key), noted flags.
    fn show(line: &str, driver: Driver) -> String {
        let invocation = parse(&words(line), driver);
        let inputs: Vec<String> = invocation
            .inputs
            .iter()
            .map(|input| match input.kind {
                Some(kind) => format!("{}:{kind:?}", input.path),
                None => input.path.clone(),
            })
            .collect();
        let flags: Vec<String> = invocation
            .flags
            .iter()
            .map(|flag| format!("{}{}", flag.display(), if flag.code { "!" } else { "" }))
            .collect();
        format!(
            "{:?} {} | {} | {} | {}",
            invocation.action,
            invocation.output.as_deref().unwrap_or("-"),
            inputs.join(" "),
            flags.join(" "),
            invocation.noted.join(" ")
        )
    }

    fn check(line: &str, expected: &str) {
        assert_eq!(show(line, Driver::C), expected, "{line}");
    }

    #[test]
    fn ordinary_commands() {
        check("-O2 -g -Wall -Werror -Iinc -DX -c a.c -o a.o", "Compile a.o | a.c:C | -Iinc -DX | ");
        check("a.c b.c -o prog -lm -L/x -l z", "Link prog | a.c:C b.c:C |  | ");
        check("-c a.c", "Compile - | a.c:C |  | ");
        check("-S a.c -oa.s", "Assemble a.s | a.c:C |  | ");
        check("-shared -Wl,-soname,x a.o -o x.so", "Link x.so | a.o |  | ");
        check("-c a.c -- -b.c", "Compile - | a.c:C -b.c:C |  | ");
    }

    #[test]
    fn kept_flags() {
        check(
            "-I inc -isystem sys -iquote q -idirafter d -D A=1 -UB -include x.h -imacros m.h -c a.c",
            "Compile - | a.c:C | -I inc -isystem sys -iquote q -idirafter d -D A=1 -UB -include x.h -imacros m.h | ",
        );
        check(
            "-std=gnu99 -ansi -m32 -funsigned-char -fshort-enums -fpack-struct=4 -ffreestanding -fno-builtin \
             -march=x86-64-v2 --target=arm-none-eabi -target x -fwrapv -fms-extensions",
            "Link - |  | -std=gnu99! -ansi! -m32! -funsigned-char! -fshort-enums! -fpack-struct=4! -ffreestanding! \
             -fno-builtin! -march=x86-64-v2! --target=arm-none-eabi! --target=x! -fwrapv! -fms-extensions! | ",
        );
        check(
            "-nostdinc -pthread --sysroot=/s --sysroot /t",
            "Link - |  | -nostdinc -pthread --sysroot=/s --sysroot=/t | ",
        );
        check("-fPIC -fPIE -fno-pic -c a.c", "Compile - | a.c:C | -fPIC -fPIE -fno-pic | ");
        check(
            "--include x.h --include=y.h --define-macro A --undefine-macro=B --std c99 --include-directory=d",
            "Link - |  | -include x.h -include y.h -DA -UB -std=c99! -Id | ",
        );
        check(
            "-fno-strict-overflow -fno-delete-null-pointer-checks",
            "Link - |  | -fno-strict-overflow! -fno-delete-null-pointer-checks! | ",
        );
    }

    #[test]
    fn dropped_in_silence() {
        for line in [
            "-MD -MP -MF x.d -MT x.o -MQ y -MMD",
            "-O0 -O3 -Os -Ofast -O",
            "-g -g3 -ggdb3 -gdwarf-4 -gsplit-dwarf -gz",
            "-Wall -Wextra -Wno-x -Werror=y -w -pedantic -W",
            "-pipe -save-temps -save-temps=obj -v",
            "-flto -flto=auto -ffat-lto-objects -fprofile-arcs -ftest-coverage --coverage -fprofile-use=x -pg",
            "-fsanitize=address -fno-sanitize-recover=all -fstack-protector-strong -fstack-clash-protection",
            "-ffunction-sections -fdata-sections -fomit-frame-pointer -fno-strict-aliasing -ftree-vectorize",
            "-ffile-prefix-map=/a=. -fdebug-prefix-map=a=b -fmacro-prefix-map=a=b -fdiagnostics-color=always",
            "-static -static-libgcc -shared -rdynamic -pie -no-pie -nostdlib -s -r -T x.ld -u sym -z now -Xlinker a",
            "--param x=y --param=ssp-buffer-size=4 -Wa,-x -Wl,-z,now -Xassembler -y -dumpbase a -dD -frandom-seed=1",
        ] {
            check(line, "Link - |  |  | ");
        }
    }

    #[test]
    fn dropped_with_a_note() {
        check("-fconserve-stack -c a.c", "Compile - | a.c:C |  | -fconserve-stack");
        check("-mpreferred-stack-boundary=3", "Link - |  |  | -mpreferred-stack-boundary=3");
        check("-specs=/x/y -specs z", "Link - |  |  | -specs=/x/y -specs z");
        check(
            "-Xclang -load -mllvm -foo -fplugin=x.so -fopenmp",
            "Link - |  |  | -Xclang -load -mllvm -foo -fplugin=x.so -fopenmp",
        );
        check("-frobnicate --strange -mnew", "Link - |  |  | -frobnicate --strange -mnew");
    }

    #[test]
    fn preprocessor_pass_through() {
        check("-Wp,-D_X=2,-MD,dep.d,-UY -c a.c", "Compile - | a.c:C | -D_X=2 -UY | ");
        check("-Wp,-MMD,dep.d -Xpreprocessor -DZ", "Link - |  | -DZ | ");
        check("-Wp,-D,Q", "Link - |  | -DQ | ");
        // What clang would fill with the argument that follows is left out.
        check("-Wp,-D, -Wp,-I,,-DA -Wp,-U -Xpreprocessor -D", "Link - |  | -DA | ");
        check(
            "--define-macro= --include-directory= --undefine-macro=",
            "Link - |  |  | --define-macro= --include-directory= --undefine-macro=",
        );
    }

    #[test]
    fn stages() {
        check("-E a.c", "Preprocess - | a.c:C |  | ");
        check("-c -E a.c", "Preprocess - | a.c:C |  | ");
        check("-MM a.c", "Dependencies - | a.c:C |  | ");
        check("-M -E a.c", "Dependencies - | a.c:C |  | ");
        check("-fsyntax-only a.c", "Syntax - | a.c:C |  | ");
        check("--version", "Query - |  |  | ");
        check("-print-search-dirs", "Query - |  |  | ");
        check("-dumpmachine", "Query - |  |  | ");
        check("-cc1 a.c", "Query - | a.c:C |  | ");
    }

    #[test]
    fn languages() {
        check(
            "-c a.cc b.cpp c.cxx d.C e.i f.ii",
            "Compile - | a.cc:Cxx b.cpp:Cxx c.cxx:Cxx d.C:Cxx e.i:PreprocessedC f.ii:PreprocessedCxx |  | ",
        );
        check(
            "-c a.S b.s c.f90 d.h e.m",
            "Compile - | a.S:AssemblySource b.s:AssemblySource c.f90:OtherLanguage d.h:Header e.m:OtherLanguage |  | ",
        );
        check(
            "-x c a.foo -x none b.o -xc++ c.c -x assembler-with-cpp d.c",
            "Link - | a.foo:C b.o c.c:Cxx d.c:AssemblySource |  | ",
        );
        check("-x c -", "Link - | -:C |  | ");
        check("-x f77 a.c", "Link - | a.c:OtherLanguage |  | ");
        assert_eq!(show("-c a.c b.cc", Driver::Cxx), "Compile - | a.c:Cxx b.cc:Cxx |  | ");
        assert_eq!(show("-x c a.c", Driver::Cxx), "Link - | a.c:C |  | ");
        check("lib.a x.so y.so.1 noext dir.c/noext", "Link - | lib.a x.so y.so.1 noext dir.c/noext |  | ");
    }

    #[test]
    fn values_that_are_missing() {
        check("-c a.c -I", "Compile - | a.c:C |  | ");
        check("-c a.c -o", "Compile  | a.c:C |  | ");
        check("-c a.c -Xclang", "Compile - | a.c:C |  | -Xclang");
    }

    #[test]
    fn the_text_behind_a_compiled_header() {
        check(
            "-Xclang -include-pch -Xclang x.h.pch -Xclang -include -Xclang x.h -c a.c",
            "Compile - | a.c:C | -include x.h | -Xclang -include-pch -Xclang x.h.pch",
        );
        check("-c a.c -Xclang -include -Xclang @x", "Compile - | a.c:C | -include ./@x | ");
        check("-c a.c -Xclang -include x", "Compile - | a.c:C x |  | -Xclang -include");
    }

    proptest::proptest! {
        #[test]
        fn every_argument_ends_somewhere(
            arguments in proptest::collection::vec("-{0,2}[a-zA-ZäW,=]{0,6}( ?[a-z.]{0,4})?", 0..12)
        ) {
            let invocation = parse(&arguments, Driver::C);
            // What is kept cannot be read as something else: values neither are flags nor name further arguments.
            for flag in &invocation.flags {
                proptest::prop_assert!(flag.text.starts_with('-'));
                proptest::prop_assert!(flag.value.iter().all(|value| !value.starts_with(['-', '@'])));
            }
            for input in &invocation.inputs {
                proptest::prop_assert!(arguments.contains(&input.path));
            }
        }
    }

    #[test]
    fn no_spelling_appears_twice() {
        let mut all: Vec<(&str, Shape)> = KEPT
            .iter()
            .chain(UNDERSTOOD)
            .flat_map(|(_, shape, spellings)| spellings.iter().map(|s| (*s, *shape)))
            .collect();
        all.sort_by_key(|(spelling, _)| *spelling);
        for pair in all.windows(2) {
            assert_ne!(pair[0].0, pair[1].0, "{} is listed twice", pair[0].0);
        }
    }

    #[test]
    fn searched_directories_and_target() {
        let invocation =
            parse(&words("-Ia -I b -isystem c -iquoted -include e.h --target=x -target y"), Driver::C);
        assert_eq!(include_directories(&invocation.flags), ["a", "b", "c", "d"]);
        assert_eq!(target_of(&invocation.flags), Some("y"));
    }
}

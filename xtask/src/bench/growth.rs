//! How the time of a check grows with the size of programs that are all of one kind.
//!
//! In: names of series, or nothing for all. Each series makes one C file for each of its sizes: tables with initialisers,
//! functions that call each other, allocators on top of each other, checked allocations, members, variables that point to each
//! other. For each file clang writes bitcode and `watertight check` reads it, on one core with nothing kept. Out: a table
//! of processor times, with the power of the size by which the time grows from the first file to the last one, and on request
//! a plot of the ratios to clang's time. What must hold: the power stays near 1, and the ratio below 1.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{CLANG_FLAGS, Times, best, time};

/// Programs of one kind.
struct Series {
    name: &'static str,
    /// The C text of a size.
    make: fn(usize) -> String,
    engine: &'static str,
    sizes: [usize; 4],
}

const SERIES: &[Series] = &[
    Series {
        name: "initialised-table",
        make: table,
        engine: "path",
        sizes: [20_000, 40_000, 80_000, 160_000],
    },
    Series {
        name: "mutual-recursion",
        make: recursion,
        engine: "path",
        sizes: [2_500, 5_000, 10_000, 20_000],
    },
    Series {
        name: "flow-through-allocators",
        make: allocators,
        engine: "flow",
        sizes: [125, 250, 500, 1_000],
    },
    Series {
        name: "flow-beside-allocators",
        make: beside,
        engine: "flow",
        sizes: [500, 1_000, 2_000, 4_000],
    },
    Series { name: "checked-allocations", make: checked, engine: "path", sizes: [62, 125, 250, 500] },
    Series { name: "allocations-in-a-row", make: in_a_row, engine: "path", sizes: [62, 125, 250, 500] },
    Series { name: "members", make: members, engine: "path", sizes: [250, 500, 1_000, 2_000] },
    Series {
        name: "members-of-callers",
        make: callers_members,
        engine: "path",
        sizes: [125, 250, 500, 1_000],
    },
    Series { name: "parameters", make: parameters, engine: "path", sizes: [5_000, 10_000, 20_000, 40_000] },
    Series { name: "linked-variables", make: variables, engine: "path", sizes: [1_000, 2_000, 4_000, 8_000] },
    Series { name: "cases", make: cases, engine: "path", sizes: [250, 500, 1_000, 2_000] },
    Series { name: "branches-in-a-row", make: branches, engine: "path", sizes: [125, 250, 500, 1_000] },
];

/// One text for each number below a size.
fn each(size: usize, text: impl Fn(usize) -> String) -> String {
    (0..size).map(text).collect()
}

fn table(size: usize) -> String {
    let entries = each(size, |i| format!("{{\"n{i}\",{i},&x}},"));
    format!(
        "#include <stdlib.h>\nstruct e {{ const char *name; int k; void *p; }};\nstatic int x;\n\
         struct e table[] = {{{entries}}};\nint f(int i) {{ char *p = malloc(3); if (!p) return 0; \
         int r = table[i].k; free(p); return r; }}\n\
         int main(int c, char **v) {{ return f(c); }}\n"
    )
}

fn recursion(size: usize) -> String {
    let declared = each(size, |i| format!("int f{i}(int);\n"));
    let defined = each(size, |i| {
        format!(
            "int f{i}(int k) {{ if (k < {i}) return k; void *p = malloc(k); if (!p) return 1; \
             int r = f{}(k - 1) + f{}(k - 2); free(p); return r; }}\n",
            (i + 1) % size,
            (i * 7 + 3) % size
        )
    });
    format!("#include <stdlib.h>\n{declared}{defined}")
}

fn allocators(size: usize) -> String {
    let made = each(size, |i| {
        let from = if i == 0 { "malloc(k)".to_owned() } else { format!("make{}(k - 1)", i - 1) };
        format!("void *make{i}(int k) {{ if (k < {i}) return 0; return {from}; }}\n")
    });
    let last = size - 1;
    format!(
        "#include <stdlib.h>\n{made}int use(int k) {{ void *p = make{last}(k); if (k == 3) return 1; free(p); return 0; }}\n"
    )
}

fn beside(size: usize) -> String {
    let made = each(size, |i| {
        format!(
            "void *make{i}(int k) {{ return malloc(k + {i}); }}\n\
             int use{i}(int k) {{ void *p = make{i}(k); if (k == 3) return 1; free(p); return 0; }}\n"
        )
    });
    format!("#include <stdlib.h>\n{made}")
}

fn checked(size: usize) -> String {
    let taken = each(size, |i| format!("  char *p{i} = malloc(k + {i}); if (!p{i}) goto e{i};\n"));
    let given: String = (0..size).rev().map(|i| format!("  free(p{i});\ne{i}:;\n")).collect();
    format!("#include <stdlib.h>\nint f(int k) {{\n{taken}  k++;\n{given}  return k; }}\n")
}

fn in_a_row(size: usize) -> String {
    let all = each(size, |i| {
        format!("  char *p{i} = malloc(k + {i}); if (!p{i}) return 1; p{i}[0] = 1; free(p{i});\n")
    });
    format!("#include <stdlib.h>\nint f(int k) {{\n{all}  return k; }}\n")
}

fn members(size: usize) -> String {
    let declared = each(size, |i| format!("char *m{i}; "));
    let freed = each(size, |i| format!("free(s->m{i}); "));
    let filled = each(size, |i| format!("s->m{i} = malloc(k); "));
    format!(
        "#include <stdlib.h>\nstruct s {{ {declared}}};\nvoid end(struct s *s) {{ {freed}}}\n\
         int begin(struct s *s, int k) {{ {filled}return 0; }}\n\
         int use(int k) {{ struct s s; begin(&s, k); if (k == 7) return 1; end(&s); return 0; }}\n"
    )
}

/// A structure of the caller's of which a third is filled and released, so that it is asked whether something was there before.
fn callers_members(size: usize) -> String {
    let declared = each(size, |i| format!("char *m{i}; char *u{i}; char *v{i}; "));
    let freed = each(size, |i| format!("free(s->m{i}); "));
    let filled = each(size, |i| format!("s->m{i} = malloc(k);\n"));
    format!(
        "#include <stdlib.h>\nstruct s {{ {declared}}};\nvoid end(struct s *s) {{ {freed}free(s); }}\n\
         int begin(struct s *s, int k) {{ {filled}return 0; }}\n"
    )
}

fn parameters(size: usize) -> String {
    let all: Vec<String> = (0..size).map(|i| format!("int p{i}")).collect();
    format!("#include <stdlib.h>\nint f({}) {{ char *q = malloc(3); return q ? p3 : 0; }}\n", all.join(", "))
}

fn variables(size: usize) -> String {
    let linked = each(size, |i| {
        let next = if i == 0 { "0".to_owned() } else { format!("&g{}", i - 1) };
        format!("struct n g{i} = {{{next}, 0}};\n")
    });
    let step = size.div_ceil(50);
    let filled: String = (0..size).step_by(step).map(|i| format!("g{i}.p = malloc(k); ")).collect();
    format!(
        "#include <stdlib.h>\nstruct n {{ struct n *next; char *p; }};\n{linked}\
         int use(int k) {{ {filled}return 0; }}\nint main(int c, char **v) {{ return use(c); }}\n"
    )
}

fn cases(size: usize) -> String {
    let all = each(size, |i| format!("case {}: k += {i}; break;\n", i * 3));
    format!(
        "#include <stdlib.h>\nint f(int k) {{ char *p = malloc(3); switch (k) {{ {all}}} free(p); return k; }}\n"
    )
}

fn branches(size: usize) -> String {
    let all = each(size, |i| format!("  if (k[{i}]) r += {i};\n"));
    format!(
        "#include <stdlib.h>\nint f(int *k) {{ char *p = malloc(3); int r = 0;\n{all}  free(p); return r; }}\n"
    )
}

/// What a size of a series costs, in seconds of processor time.
#[derive(Clone, Copy, Debug)]
struct Measured {
    size: usize,
    clang: f64,
    check: f64,
}

/// What was typed behind `growth`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    names: Vec<String>,
    plot: Option<PathBuf>,
    runs: usize,
}

impl Wanted {
    fn parse(arguments: &[String]) -> Result<Wanted, String> {
        let mut wanted = Wanted { runs: 1, ..Wanted::default() };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} wants a value"));
            match argument.as_str() {
                "--plot" => wanted.plot = Some(PathBuf::from(value()?)),
                "--runs" => {
                    let runs = value()?.parse().ok().filter(|runs| *runs > 0);
                    wanted.runs = runs.ok_or("--runs wants a number of at least one")?;
                }
                name if SERIES.iter().any(|series| series.name == name) => wanted.names.push(name.to_owned()),
                name => {
                    let known: Vec<&str> = SERIES.iter().map(|series| series.name).collect();
                    return Err(format!("there is no series {name}; there are {}", known.join(", ")));
                }
            }
        }
        Ok(wanted)
    }
}

/// Measures the series and gives the table.
pub(super) fn bench(watertight: &Path, arguments: &[String], folder: &Path) -> Result<String, String> {
    let wanted = Wanted::parse(arguments)?;
    let mut table = String::from(
        "| Series | Engine | n | clang s | check s | ratio | power of n |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut all = Vec::new();
    let asked =
        |series: &&Series| wanted.names.is_empty() || wanted.names.iter().any(|name| name == series.name);
    for series in SERIES.iter().filter(asked) {
        let mut measured: Vec<Measured> = Vec::new();
        for size in series.sizes {
            let one = measure(watertight, series, size, folder, wanted.runs)?;
            eprintln!("{} {size}: clang {:.2} s, check {:.2} s", series.name, one.clang, one.check);
            measured.push(one);
            let power = power(&measured).map_or(String::new(), |power| format!("{power:.2}"));
            let Measured { clang, check, .. } = one;
            let (name, engine, ratio) = (series.name, series.engine, check / clang);
            let _ = writeln!(
                table,
                "| {name} | {engine} | {size} | {clang:.2} | {check:.2} | {ratio:.2} | {power} |"
            );
        }
        all.push((series.name, measured));
    }
    if let Some(path) = &wanted.plot {
        std::fs::write(path, plot(&all)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(table)
}

fn measure(
    watertight: &Path,
    series: &Series,
    size: usize,
    folder: &Path,
    runs: usize,
) -> Result<Measured, String> {
    let source = folder.join(format!("{}-{size}.c", series.name));
    let bitcode = source.with_extension("bc");
    std::fs::write(&source, (series.make)(size)).map_err(|error| format!("{}: {error}", source.display()))?;
    let clang = std::env::var("WATERTIGHT_CLANG").unwrap_or_else(|_| "clang".to_owned());
    let mut compile = Command::new(clang);
    compile.args(CLANG_FLAGS).arg(&source).arg("-o").arg(&bitcode);
    let compiled = best(runs, || time(&mut compile))?;
    let mut check = Command::new(watertight);
    check.args(["check", "--threads", "1", "--no-cache", "--quiet", "--engine", series.engine]).arg(&bitcode);
    // It ends with 1 where it finds something, so how it ends says nothing here.
    let checked = (0..runs).map(|_| Times::of(|| check.output()).1).fold(Times::MAX, Times::least);
    let seconds = |times: Times| times.processor.as_secs_f64().max(0.01);
    Ok(Measured { size, clang: seconds(compiled), check: seconds(checked) })
}

/// The power of the size by which the time grows, from the first size to the last.
fn power(measured: &[Measured]) -> Option<f64> {
    let (first, last) = (measured.first()?, measured.last()?);
    (last.size > first.size)
        .then(|| (last.check / first.check).ln() / (last.size as f64 / first.size as f64).ln())
}

/// A plot of the ratios to clang's time over the sizes, both axes by powers: a line that stays level grows as clang does.
fn plot(all: &[(&str, Vec<Measured>)]) -> String {
    const WIDTH: f64 = 560.0;
    const HEIGHT: f64 = 320.0;
    const LEFT: f64 = 50.0;
    const TOP: f64 = 20.0;
    const COLOURS: [&str; 12] = [
        "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#e377c2", "#17becf", "#7f7f7f",
        "#bcbd22", "#000000", "#aa8800",
    ];
    let ratios =
        all.iter().flat_map(|(_, measured)| measured.iter().map(|one| (one.check / one.clang).log10()));
    let (low, high) =
        ratios.fold((-1.0_f64, 0.5_f64), |(low, high), ratio| (low.min(ratio), high.max(ratio)));
    let y = |ratio: f64| TOP + (high - ratio.log10()) / (high - low) * HEIGHT;
    let x = |size: f64, first: f64| LEFT + (size / first).log2() / 3.0 * WIDTH;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 {:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        TOP + HEIGHT + 45.0
    );
    for exponent in low.ceil() as i32..=high.floor() as i32 {
        let (ratio, at) = (10_f64.powi(exponent), y(10_f64.powi(exponent)));
        let stroke = if exponent == 0 { "#000000" } else { "#dddddd" };
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{:.0}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"{stroke}\"/>\n\
             <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{ratio}</text>",
            LEFT + WIDTH,
            LEFT - 6.0,
            at + 4.0
        );
    }
    for times in [1.0, 2.0, 4.0, 8.0] {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{times}x</text>",
            x(times, 1.0),
            TOP + HEIGHT + 18.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"{:.0}\">time of a check in times of clang, over the size in times of the smallest of its series</text>",
        TOP + HEIGHT + 38.0
    );
    for (number, (name, measured)) in all.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let Some(first) = measured.first() else { continue };
        let points: Vec<String> = (measured.iter())
            .map(|one| {
                format!("{:.1},{:.1}", x(one.size as f64, first.size as f64), y(one.check / one.clang))
            })
            .collect();
        let label = TOP + 16.0 * (number as f64 + 1.0);
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
             <text x=\"{:.0}\" y=\"{label:.0}\" fill=\"{colour}\">{name}</text>",
            points.join(" "),
            LEFT + WIDTH + 20.0
        );
    }
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_double_and_texts_grow_with_them() {
        for series in SERIES {
            assert!(
                series.sizes.windows(2).all(|two| two[1] >= 2 * two[0] && two[1] <= 2 * two[0] + 2),
                "{}",
                series.name
            );
            let (small, large) = ((series.make)(100).len(), (series.make)(200).len());
            assert!(large > small + small / 2 && large < 3 * small, "{}: {small} {large}", series.name);
        }
    }

    #[test]
    fn the_power_is_that_of_the_size() {
        let at = |size: usize, check: f64| Measured { size, clang: 1.0, check };
        assert_eq!(power(&[at(10, 1.0)]), None);
        assert!((power(&[at(10, 1.0), at(20, 3.0), at(40, 16.0)]).unwrap() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_series_is_refused() {
        let parse =
            |words: &[&str]| Wanted::parse(&words.iter().map(|word| word.to_string()).collect::<Vec<_>>());
        assert!(
            parse(&["members", "--runs", "3"])
                .is_ok_and(|wanted| wanted.runs == 3 && wanted.names == ["members"])
        );
        assert!(
            parse(&["nothing"]).is_err() && parse(&["--plot"]).is_err() && parse(&["--runs", "0"]).is_err()
        );
    }
}

//! Every block of code in the documents is run, read or compared with what it shows; blocks that are run as commands are in `examples.rs`.

use std::path::Path;

use crate::examples::blocks;
use crate::support::{Project, repository, skip};

fn page(name: &str) -> String {
    std::fs::read_to_string(repository().join(name)).unwrap()
}

/// The blocks of a page that are marked so.
fn marked(name: &str, mark: &str) -> Vec<String> {
    let blocks = blocks(&page(name)).into_iter().filter(|block| block.mark == mark);
    blocks.map(|block| block.lines.join("\n") + "\n").collect()
}

/// Where blocks with a mark are tested. What has no mark is a picture or a synopsis.
const TESTED: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "README.md",
            "docs/architecture.md",
            "docs/bitcode.md",
            "docs/capture.md",
            "docs/certificate.md",
            "docs/cluster.md",
            "docs/fuzzing.md",
            "docs/logic.md",
        ],
    ),
    ("", &["docs/performance.md", "docs/prove.md", "docs/replay.md", "docs/serve.md"]),
    // `examples.rs`
    ("sh", &["README.md", "docs/ci.md", "docs/editor.md", "docs/peers.md"]),
    // `cluster/tests`, with a program of theirs.
    ("sh", &["docs/cluster.md"]),
    ("console", &["README.md", "docs/ci.md", "docs/output.md", "docs/prove.md", "docs/summary.md"]),
    // Here.
    ("c", &["README.md", "docs/confidence.md", "docs/output.md"]),
    ("model", &["README.md"]),
    ("property", &["docs/properties.md"]),
    ("toml", &["docs/editor.md"]),
    ("yaml", &["docs/ci.md"]),
    // Here.
    ("text", &["docs/certificate.md"]),
    // `pointing.rs`; the grammars of models and properties, and a mistake in a model.
    ("text", &["docs/pointer.md", "docs/models.md", "docs/properties.md"]),
    // `store.rs`
    ("sql", &["docs/store.md"]),
    // `tests/editors/run.sh`
    ("lua", &["docs/editor.md"]),
    ("elisp", &["docs/editor.md"]),
    // `documentation.rs` of the models, `docs.rs` of the IR, `page.rs` of the bitcode reader and the logic.
    ("model", &["docs/models.md"]),
    ("ir", &["docs/ir.md"]),
    ("rust", &["docs/bitcode.md", "docs/logic.md"]),
];

#[test]
fn every_block_of_code_has_a_test() {
    let docs = std::fs::read_dir(repository().join("docs")).unwrap();
    let names = docs.map(|entry| format!("docs/{}", entry.unwrap().file_name().to_string_lossy()));
    let others = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned);
    for name in names.chain(others).filter(|name| name.ends_with(".md")) {
        for block in blocks(&page(&name)) {
            // A block with the name of a file is that file for the commands on the page.
            let tested = block.mark.starts_with("c ")
                || TESTED.iter().any(|(mark, pages)| *mark == block.mark && pages.contains(&&*name));
            assert!(
                tested,
                "{name}: no test reads a block marked `{}`: {:?}",
                block.mark,
                block.lines.first()
            );
        }
    }
}

/// What a certificate has in its lines is explained on its page.
#[test]
fn a_certificate_has_only_lines_that_its_page_explains() {
    let source = "struct node { struct node *next; };\nvoid unlink_all(struct node *at) {\n    while (at)\n        at = at->next;\n}\n";
    let project = Project::new(&[("a.c", source)]);
    project.run(&["prove", "--quiet", "--certificate", "a.proof", "a.c"]);
    let words = |text: &str| -> Vec<String> {
        let first = |line: &str| line.split_whitespace().next().map(str::to_owned);
        text.lines().filter_map(first).filter(|word| !word.starts_with(';')).collect()
    };
    let [shown] = &marked("docs/certificate.md", "text")[..] else {
        panic!("the page shows one certificate")
    };
    let (shown, written) =
        (words(shown), words(&std::fs::read_to_string(project.path().join("a.proof")).unwrap()));
    assert!(written.contains(&"statement".to_owned()), "{written:?}");
    for word in written {
        assert!(shown.contains(&word), "docs/certificate.md does not explain `{word}`");
    }
}

/// Each program in `docs/confidence.md` has a finding with the doubt under which it stands.
#[test]
fn programs_have_the_doubt_that_they_stand_for() {
    let text = page("docs/confidence.md");
    let mut number = 0;
    for section in text.split("\n### ").skip(1) {
        let title = section.lines().next().unwrap();
        let (doubt, confidence) = title.split_once(": ").unwrap();
        let section = section.split("\n## ").next().unwrap();
        for block in blocks(section) {
            let project = Project::new(&[("a.c", &(block.lines.join("\n") + "\n"))]);
            let all = ["check", "a.c", "--format=json", "--confidence=low", "--all", "--rules=all"];
            let report = project.run(&all).exits(1).json();
            let findings = report["findings"].as_array().unwrap();
            let shows = |finding: &serde_json::Value| {
                finding["doubts"].as_array().unwrap().iter().any(|known| known["name"] == doubt)
            };
            let found = findings.iter().find(|finding| shows(finding));
            let found = found.unwrap_or_else(|| panic!("no finding has the doubt {doubt}: {report:#}"));
            // A second doubt may leave less, never more.
            assert!(found["confidence"] == confidence || found["confidence"] == "low", "{doubt}: {found:#}");
            number += 1;
        }
    }
    assert!(number > 20, "only {number} programs");
}

#[test]
fn comments_that_the_pages_show_hide_findings() {
    let comment = &marked("README.md", "c")[0];
    let leak = "    int *numbers = malloc(8);\n    return numbers ? *numbers : 0;\n";
    let program = |middle: &str| format!("#include <stdlib.h>\nint count(void)\n{{\n{middle}{leak}}}\n");
    Project::new(&[("a.c", &program(""))]).run(&["check", "a.c"]).exits(1);
    Project::new(&[("a.c", &program(comment))]).run(&["check", "a.c"]).exits(0).does_not_say("ignore");
    let both = &marked("docs/output.md", "c")[0];
    let program = format!(
        "#include <stdlib.h>\nenum {{ TABLE_SIZE = 8 }};\nstruct config {{ char **table; }};\n\
         int load(void)\n{{\n    struct config own, *config = &own;\n{both}}}\n"
    );
    Project::new(&[("a.c", &program)]).run(&["check", "a.c"]).exits(0).does_not_say("has no effect");
}

#[test]
fn the_model_in_the_readme_describes_an_allocator() {
    let program = "void *my_alloc(unsigned long size); void my_free(void *block);\n\
                   int work(int n) { char *b = my_alloc(8); if (!b || n) return 1; my_free(b); return 0; }\n";
    let project = Project::new(&[("a.c", program), ("own.model", &marked("README.md", "model")[0])]);
    project.run(&["check", "a.c"]).exits(1).says("`b` leaks on some paths").does_not_say("inferred");
}

#[test]
fn properties_and_settings_on_the_pages_can_be_read() {
    for (number, text) in marked("docs/properties.md", "property").iter().enumerate() {
        let project = Project::new(&[("a.c", "int f(void) { return 1; }\n"), ("own.property", text)]);
        project.run(&["check", "a.c"]).exits(0).does_not_say(&format!("own.property:{number}"));
    }
    for text in marked("docs/editor.md", "toml") {
        toml::from_str::<toml::Table>(&text).unwrap();
    }
}

#[test]
fn descriptions_for_build_services_are_yaml() {
    let folder = tempfile::tempdir().unwrap();
    let blocks = marked("docs/ci.md", "yaml");
    assert!(blocks.len() >= 4);
    for (number, text) in blocks.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{number}.yml")), text).unwrap();
    }
    let read = "import glob, yaml\nfor name in glob.glob('*.yml'):\n    yaml.safe_load(open(name))";
    if !python(folder.path(), "import yaml") {
        return skip("there is no Python with yaml to read the descriptions with");
    }
    assert!(python(folder.path(), read));
}

fn python(folder: &Path, program: &str) -> bool {
    let run = std::process::Command::new("python3").current_dir(folder).args(["-c", program]).output();
    run.is_ok_and(|done| done.status.success())
}

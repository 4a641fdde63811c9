//! The rules: their list, their pages, and the examples on them.

use crate::support::{ONE_FUNCTION, Project, repository};

/// Rules whose example another rule reports first, as their pages say.
const FIRST: [(&str, &str); 2] =
    [("closed-twice", "double-release"), ("used-after-close", "use-after-release")];

/// The rules and their C blocks, the bad one first.
pub(crate) fn pages() -> Vec<(String, [String; 2])> {
    let entries = std::fs::read_dir(repository().join("crates/checkers/pages")).unwrap();
    let mut pages: Vec<_> = entries
        .map(|entry| {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let block = |title: &str| {
                let after = text.split_once(&format!("## {title}\n\n```c\n")).expect(title).1;
                after.split_once("```").unwrap().0.to_owned()
            };
            let rule = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (rule, [block("Bad"), block("Good")])
        })
        .collect();
    pages.sort();
    pages
}

#[test]
fn the_examples_of_the_pages_are_what_they_say() {
    let project = Project::new(&[]);
    let pages = pages();
    assert!(pages.len() >= 17);
    for (rule, [bad, good]) in pages {
        let by = FIRST.iter().find(|(name, _)| *name == rule).map_or(&*rule, |(_, by)| by);
        let (bad_name, good_name) = (format!("{rule}.bad.c"), format!("{rule}.good.c"));
        project.write(&bad_name, bad);
        project.write(&good_name, good);
        let rules = format!("{rule},{by}");
        let ran = project.run(&["check", "-q", "--format", "gcc", "--rules", &rules, &bad_name]).exits(1);
        ran.says(&format!("[{by}]\n"));
        project.run(&["check", "-q", "--rules", &format!("default,{rule}"), &good_name]).exits(0);
    }
}

#[test]
fn a_rule_finds_its_example_alone_and_with_its_group() {
    let project = Project::new(&[]);
    let listed = project.run(&["rules"]).exits(0).stdout.clone();
    let groups = listed.split_once("\ngroups").unwrap().1;
    for (rule, [bad, _]) in pages() {
        let name = format!("{rule}.c");
        project.write(&name, bad);
        let told = format!("[{rule}]: ");
        project.run(&["check", "-q", "--rules", &rule, &name]).exits(1).says(&told);
        let is_in = |line: &&str| line.split([' ', ',']).skip(1).any(|one| one == rule);
        let Some(group) = groups.lines().find(is_in).and_then(|line| line.split(' ').next()) else {
            assert_eq!(rule, "leak-at-exit", "only this rule is in no group");
            continue;
        };
        project.run(&["check", "-q", "--all", "--rules", group, &name]).exits(1).says(&told);
    }
}

#[test]
fn rules_are_listed_and_explained() {
    let project = Project::new(&[]);
    let ran = project.run(&["rules"]).exits(0).says("memory-leak ").says("CWE-401").says("leak-at-exit");
    assert!(ran.stdout.lines().count() >= 17);
    let ran = project.run(&["explain", "memory-leak"]).exits(0).says("# Memory leak\n");
    ran.says("## Bad").says("## Good").says("ignore[memory-leak]");
    // A rule of the project has a page too.
    project.write(
        "own.property",
        "property bell \"bell\"\nstates silent, ringing\nerror bell-left \"is left ringing\" cwe 1 help \"Stop it.\"\n\
         at return ringing: error bell-left\nring(bell) silent -> ringing\nstill(bell) ringing -> silent\n",
    );
    project.run(&["rules"]).exits(0).says("bell-left");
    project
        .run(&["explain", "bell-left"])
        .exits(0)
        .says("`bell-left`: a bell is left ringing.")
        .says("Stop it.");
}

#[test]
fn a_rule_that_does_not_exist_gets_the_list_of_those_that_do() {
    let project = Project::new(&[("a.c", ONE_FUNCTION)]);
    for arguments in [&["explain", "memory-lek"][..], &["check", "--rules", "memory-lek", "a.c"]] {
        let ran = project.run(arguments).exits(2);
        ran.says("there is no rule `memory-lek`; did you mean `memory-leak`?")
            .says("double-lock, ")
            .says("privilege-order");
    }
}

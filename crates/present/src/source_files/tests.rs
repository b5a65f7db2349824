use super::*;

/// Finds one file of a trace among files below `/home/me/proj`.
fn found_in(wanted: &str, files: &[&str]) -> String {
    words(&find_files(&[TraceFile { path: wanted, is_library: false }], &below(files))[0], files)
}

fn below<'a>(files: &[&'a str]) -> Vec<RealFile<'a>> {
    files.iter().map(|path| RealFile { folder: "/home/me/proj", path }).collect()
}

fn words(found: &FoundFile, files: &[&str]) -> String {
    match found {
        FoundFile::At(at) => files[*at].to_owned(),
        FoundFile::Ambiguous(several) => {
            let names: Vec<&str> = several.iter().map(|&at| files[at]).collect();
            format!("either {}", names.join(" or "))
        }
        FoundFile::GeneratedFrom(at) => format!("generated from {}", files[*at]),
        FoundFile::Missing => "missing".to_owned(),
    }
}

#[test]
fn dune_paths_lead_to_the_sources_and_not_to_the_copies_in_build() {
    let files = ["_build/default/src/foo.ml", "src/foo.ml", "_build/default/lib/bar.ml", "lib/bar.ml"];
    for wanted in [
        "src/foo.ml",
        "./src/foo.ml",
        "../src/foo.ml",
        "_build/default/src/foo.ml",
        "/home/me/proj/_build/default/src/foo.ml",
        "/builds/ci/_build/default/src/foo.ml",
        "/home/me/proj/_build/.sandbox/1a2b3c/default/src/foo.ml",
        "/workspace_root/src/foo.ml",
        "/home/me/proj/src/foo.ml",
    ] {
        assert_eq!(found_in(wanted, &files), "src/foo.ml", "{wanted}");
    }
    assert_eq!(found_in("bar.ml", &files), "lib/bar.ml");
}

#[test]
fn any_folder_of_a_project_can_be_searched() {
    let search = |folder, path| {
        let wanted = [TraceFile { path: "/builds/ci/_build/default/src/foo.ml", is_library: false }];
        find_files(&wanted, &[RealFile { folder, path }])[0].clone()
    };
    assert_eq!(search("/home/me/proj/src", "foo.ml"), FoundFile::At(0));
    assert_eq!(search("", "foo.ml"), FoundFile::At(0), "a dropped folder whose own path is unknown");
    assert_eq!(search("/home/me", "proj/src/foo.ml"), FoundFile::At(0));
    assert_eq!(search("/home/me/proj/_build/default", "src/foo.ml"), FoundFile::At(0));
    assert_eq!(search("/home/me/proj", "bin/foo.ml"), FoundFile::Missing, "another file of the same name");
}

#[test]
fn of_files_with_the_same_name_the_longest_common_path_wins() {
    let files = ["a/lib/main.ml", "b/lib/main.ml", "main.ml", "old/main.ml", "lib/a/util.ml", "vendor/x/lib/a/util.ml"];
    assert_eq!(found_in("a/lib/main.ml", &files), "a/lib/main.ml");
    assert_eq!(found_in("/ci/b/lib/main.ml", &files), "b/lib/main.ml");
    assert_eq!(found_in("lib/main.ml", &files), "either a/lib/main.ml or b/lib/main.ml");
    assert_eq!(found_in("main.ml", &files), "main.ml", "exactly this path");
    assert_eq!(found_in("bin/main.ml", &files), "missing", "proj isn't bin");
    assert_eq!(found_in("/app/main.ml", &files), "main.ml", "the project was in /app");
    assert_eq!(found_in("lib/a/util.ml", &files), "lib/a/util.ml");
    assert_eq!(found_in("lib/c/util.ml", &files), "missing");
    assert_eq!(found_in("nowhere.ml", &files), "missing");
    assert_eq!(found_in("", &files), "missing");
}

#[test]
fn generated_files_are_found_in_build_or_explained_by_their_source() {
    let built = ["src/lexer.mll", "_build/default/src/lexer.ml", "src/parser.mly", "src/orders.ml"];
    assert_eq!(found_in("src/lexer.ml", &built), "_build/default/src/lexer.ml");
    // The directives in generated code lead to the original.
    assert_eq!(found_in("src/lexer.mll", &built), "src/lexer.mll");
    let clean = ["src/lexer.mll", "src/parser.mly", "src/orders.ml"];
    assert_eq!(found_in("_build/default/src/lexer.ml", &clean), "generated from src/lexer.mll");
    assert_eq!(found_in("src/parser.ml", &clean), "generated from src/parser.mly");
    // The output of a ppx without directives has other lines than the original.
    assert_eq!(found_in("src/orders.pp.ml", &clean), "missing");
}

#[test]
fn files_of_opam_packages_are_found_where_they_are_installed() {
    let built_at = "/home/u/.opam/5.1.0/.opam-switch/build/base.v0.16.3/_build/default/src/map.ml";
    let switch = ["lib/base/map.ml", "lib/containers/map.ml", "lib/ocaml/map.ml", "lib/base/caml/caml.ml"];
    let find = |path, folder, files: &[&str]| {
        let files_in: Vec<RealFile<'_>> = files.iter().map(|path| RealFile { folder, path }).collect();
        words(&find_files(&[TraceFile { path, is_library: false }], &files_in)[0], files)
    };
    assert_eq!(find(built_at, "/home/u/.opam/5.1.0", &switch), "lib/base/map.ml");
    assert_eq!(find("/home/u/.opam/5.1.0/lib/base/map.ml", "/root/.opam/5.2.0", &switch), "lib/base/map.ml");
    let project = ["src/map.ml", "vendor/base/src/map.ml"];
    assert_eq!(find(built_at, "/home/me/proj", &project), "vendor/base/src/map.ml");
    assert_eq!(find(built_at, "/home/me/proj", &project[..1]), "missing", "the project's own map.ml is another file");
}

#[test]
fn a_projects_list_ml_is_not_mistaken_for_ocamls() {
    let wanted = [
        TraceFile { path: "list.ml", is_library: true },
        TraceFile { path: "bin/list.ml", is_library: false },
        TraceFile { path: "util.ml", is_library: false },
        TraceFile { path: "src/util.ml", is_library: false },
    ];
    let found = |files: &[&str]| -> Vec<String> {
        find_files(&wanted, &below(files)).iter().map(|found| words(found, files)).collect()
    };
    assert_eq!(found(&["bin/list.ml", "src/util.ml"]), ["missing", "bin/list.ml", "missing", "src/util.ml"]);
    let with_library = found(&["bin/list.ml", "_opam/lib/ocaml/list.ml", "util.ml", "src/util.ml"]);
    assert_eq!(with_library, ["_opam/lib/ocaml/list.ml", "bin/list.ml", "util.ml", "src/util.ml"]);
}

#[test]
fn paths_of_windows_are_understood() {
    assert_eq!(found_in(r"C:\ci\proj\_build\default\src\foo.ml", &["bin/foo.ml", "src/foo.ml"]), "src/foo.ml");
    assert_eq!(found_in("src/foo.ml", &[r"_build\default\src\foo.ml", r"src\foo.ml"]), r"src\foo.ml");
    assert_eq!(file_name(r"src\foo.ml"), "foo.ml");
}

#[test]
fn a_user_names_a_file_by_any_end_of_its_path_or_by_the_real_file() {
    let files = ["src/foo.ml", "/ci/_build/default/lib/foo.ml", "list.ml"];
    let files = files.map(|path| TraceFile { path, is_library: path == "list.ml" });
    let meant = |path, is_real| files_meant(&RealFile { folder: "", path }, is_real, &files);
    assert_eq!(meant("foo.ml", false), [0, 1]);
    assert_eq!(meant("lib/foo.ml", false), [1]);
    assert_eq!(meant("/home/me/proj/src/foo.ml", true), [0]);
    assert_eq!(meant("list.ml", false), [2]);
    assert_eq!(meant("/home/me/proj/src/list.ml", true), [0; 0], "the project's own list.ml");
    assert_eq!(meant("/usr/lib/ocaml/list.ml", true), [2]);
    assert_eq!(meant("nowhere.ml", false), [0; 0]);
}

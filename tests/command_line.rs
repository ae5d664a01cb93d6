//! The command line of the built binary, and where its answers go.

use std::{
    io::pipe,
    process::{Command, Output, Stdio},
};

use crate::support::Engine;

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tegenspel"));
    command.stdin(Stdio::null());
    command
}

/// What a refusal says: one line on standard error, and the exit code of all refusals.
#[track_caller]
fn expect_refusal(output: &Output, reason: &str) {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.contains(reason), "{told}");
}

#[test]
fn help_into_a_closed_pipe_is_no_fault() {
    for words in [&["--help"][..], &["solve", "--help"], &["analyse", "--help"]] {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let status = program().args(words).stdout(writer).status().unwrap();
        assert!(status.success(), "{words:?}: {status}");
    }
}

#[test]
fn two_files_are_not_analysed_into_one() {
    let output = Engine::run(&["analyse", "nowhere.pgn", "nowhere.txt"]);
    expect_refusal(&output, "nowhere.pgn and nowhere.txt");
}

#[cfg(unix)]
#[test]
fn a_word_that_is_no_text_is_refused_in_one_line() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let word = OsStr::from_bytes(b"depth\xff");
    expect_refusal(&program().arg("go").arg(word).output().unwrap(), "is not UTF-8");
}

/// Other systems have no such names.
#[cfg(target_os = "linux")]
#[test]
fn a_file_whose_name_is_no_text_is_analysed() {
    use std::{env, ffi::OsString, fs, os::unix::ffi::OsStringExt};
    let folder = env::temp_dir().join(format!("tegenspel-name-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let name = |ending: &str| {
        let bytes = [b"g\xff".as_slice(), ending.as_bytes()].concat();
        folder.join(OsString::from_vec(bytes))
    };
    fs::write(name(".pgn"), "1. e4 e5 *\n").unwrap();
    let output = program().args(["analyse", "--depth", "1"]).arg(name(".pgn")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let judged = fs::read_to_string(name(".analysed.pgn")).unwrap();
    assert!(judged.contains("[%eval"), "{judged}");
    fs::remove_dir_all(&folder).unwrap();
}

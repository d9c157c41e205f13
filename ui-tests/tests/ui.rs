//! Compiles what must not compile, and what must. The crate's documentation says how to run it.

use cluster_topk_ui_tests::{TOPICS, Topic};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const PASS: &str = "tests/pass/*.rs";
const PINNED_COMPILER: &str = "tests/COMPILER";
/// Set in the process that [`on_another_compiler`] starts: where the copies of the mistakes lie.
const COPIES: &str = "CLUSTER_TOPK_UI_COPIES";

/// The compiler that trybuild is going to run, in its own words.
fn compiler() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc).arg("-V").output().expect("rustc runs");
    String::from_utf8(output.stdout).expect("the version is text").trim().to_owned()
}

/// The files with this extension in a topic's directory under `root`.
fn files(root: &Path, topic: &Topic, extension: &str) -> Vec<PathBuf> {
    let directory = root.join(topic.name);
    let entries = fs::read_dir(&directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a directory entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

/// Says what is wrong with a message: nothing is an error, one is found in another way than the topic's, or the advice is
/// missing. (One fault may be two errors: the call and the request that it returns want the same bound.)
fn objection(topic: &Topic, message: &str) -> Option<String> {
    let mut errors = message.lines().filter(|line| line.starts_with("error")).peekable();
    if errors.peek().is_none() {
        return Some("no error".to_owned());
    }
    if let Some(error) = errors.find(|e| !topic.found.first_lines().iter().any(|start| e.starts_with(start)))
    {
        return Some(format!("not found {:?}: {error}", topic.found));
    }
    // rustc indents what it wraps.
    let flat = message.split_whitespace().collect::<Vec<_>>().join(" ");
    (!flat.contains(topic.advice)).then(|| format!("does not say: {}", topic.advice))
}

fn assert_messages(root: &Path) {
    let mut faults = Vec::new();
    for topic in TOPICS {
        for mistake in files(root, topic, "rs") {
            let pinned = mistake.with_extension("stderr");
            let why = match fs::read_to_string(&pinned) {
                Ok(message) => objection(topic, &message),
                Err(e) => Some(format!("no message is pinned: {e}")),
            };
            faults.extend(why.map(|why| format!("{}: {why}", mistake.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn topics_are_the_directories() {
    let entries = fs::read_dir("tests/fail").expect("tests/fail is there");
    let mut directories: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
    directories.sort();
    let mut listed: Vec<_> = TOPICS.iter().map(|topic| topic.name).collect();
    listed.sort_unstable();
    assert_eq!(directories, listed, "tests/fail against TOPICS");
}

#[test]
fn each_mistake_has_a_message_with_advice_and_each_message_a_mistake() {
    if env::var_os("TRYBUILD").is_some() {
        println!("skipped: the messages are being rewritten");
        return;
    }
    assert_messages(Path::new("tests/fail"));
    for topic in TOPICS {
        for message in files(Path::new("tests/fail"), topic, "stderr") {
            assert!(message.with_extension("rs").exists(), "{} belongs to no mistake", message.display());
        }
    }
}

#[test]
fn mistakes_do_not_compile_and_their_messages_are_as_pinned() {
    let (compiler, pinned) = (compiler(), fs::read_to_string(PINNED_COMPILER).unwrap_or_default());
    let accept = env::var_os("TRYBUILD").is_some_and(|mode| mode == "overwrite");
    if let Some(copies) = env::var_os(COPIES) {
        run_trybuild(Path::new(&copies));
    } else if compiler == pinned.trim() || accept {
        run_trybuild(Path::new("tests/fail"));
        if accept {
            fs::write(PINNED_COMPILER, compiler + "\n").expect("tests/COMPILER can be written");
        }
    } else {
        println!("skipped: the comparison with the pinned messages, which are those of {}", pinned.trim());
        println!("this is {compiler}: checking that every mistake is rejected, with the advice of its topic");
        on_another_compiler();
    }
}

/// One set, so that the dependencies are built once and the passing cases make trybuild generate code.
fn run_trybuild(root: &Path) {
    let cases = trybuild::TestCases::new();
    cases.pass(PASS);
    for topic in TOPICS {
        cases.compile_fail(root.join(topic.name).join("*.rs"));
    }
}

/// Runs copies of the mistakes without pinned messages, lets trybuild write what it gets, and looks for the advice.
fn on_another_compiler() {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fail");
    let _absent_at_first = fs::remove_dir_all(&root);
    for topic in TOPICS {
        fs::create_dir_all(root.join(topic.name)).expect("a directory for the copies");
        for mistake in files(Path::new("tests/fail"), topic, "rs") {
            let copy = root.join(topic.name).join(mistake.file_name().expect("a file"));
            fs::copy(&mistake, copy).expect("the mistake can be copied");
        }
    }
    // trybuild takes its mode from the environment, which is set for a process of its own.
    let this_test = env::current_exe().expect("this test is a program");
    let status = Command::new(this_test)
        .args(["--exact", "mistakes_do_not_compile_and_their_messages_are_as_pinned", "--nocapture"])
        .env("TRYBUILD", "overwrite")
        .env(COPIES, &root)
        .status();
    assert!(
        status.expect("this test runs again").success(),
        "a mistake compiles, or a passing case does not"
    );
    assert_messages(&root);
}

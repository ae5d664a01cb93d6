//! GTP 2 (draft 2, October 2002), as seen by a GUI. Each test is named after the sentence it checks.

use crate::support::Engine;

fn start() -> Engine {
    let mut engine = Engine::start(&["gtp", "--size", "9", "--playouts", "200", "--memory", "16"]);
    engine.send("name").expect("= Tegenspel");
    engine
}

/// Section 2.5: "the response … starts with =, followed by the id".
#[test]
fn a_response_repeats_its_id_and_a_failure_begins_with_a_question_mark() {
    let mut engine = start();
    assert_eq!(engine.send("12 protocol_version").expect("=12"), "=12 2");
    assert_eq!(engine.send("13 foobar").expect("?"), "?13 unknown command");
    assert_eq!(engine.send("7 known_command\tgenmove # hi").expect("=7"), "=7 true");
}

/// "Commands are answered in order": Sabaki sends four at once.
#[test]
fn pipelined_commands_are_answered_in_order() {
    let mut engine = start();
    engine.send("1 name").send("2 genmove b").send("3 version").send("4 undo").send("5 undo");
    for answer in ["=1", "=2", "=3", "=4", "?5 cannot undo"] {
        engine.expect(answer);
    }
}

/// "illegal move" leaves the state untouched.
#[test]
fn an_illegal_move_is_refused_and_changes_nothing() {
    let mut engine = start();
    engine.send("play b A2").expect("=");
    engine.send("play b B1").expect("=");
    engine.send("1 play w A1").expect("?1 illegal move");
    engine.send("2 play w A2").expect("?2 illegal move");
    assert_eq!(engine.send("3 list_stones w").expect("=3").trim(), "=3");
    engine.send("4 play w I5").expect("?4");
    engine.send("5 boardsize 26").expect("?5 unacceptable size");
    assert_eq!(engine.send("6 list_stones b").expect("=6"), "=6 B1 A2");
}

/// Leela Zero's analysis: until any line arrives, which is then obeyed.
#[test]
fn any_line_ends_an_analysis_and_is_obeyed() {
    let mut engine = start();
    engine.send("kata-analyze b interval 5 ownership true rootInfo true");
    let line = engine.expect("info move");
    for key in ["visits", "winrate", "scoreLead", "lcb", "order 0", "pv", "rootInfo", "ownership"] {
        assert!(line.contains(key), "{key}: {line}");
    }
    let ownership = line.split(" ownership ").nth(1).unwrap();
    assert_eq!(ownership.split_whitespace().count(), 81);
    engine.send("9 name").expect("=9 Tegenspel");
    engine.send("lz-analyze 5").expect("info move");
    engine.send("");
    engine.send("10 version").expect("=10");
}

#[test]
fn a_generating_analysis_ends_with_the_move_it_plays() {
    let mut engine = start();
    let play = engine.send("lz-genmove_analyze b 1").expect("play ");
    let stones = engine.send("1 list_stones b").expect("=1");
    assert_eq!(stones.strip_prefix("=1 "), play.strip_prefix("play "));
}

/// `GoGui`'s "# interrupt" is a comment to every other engine.
#[test]
fn an_interrupt_ends_thinking_with_a_move() {
    let mut engine = Engine::start(&["gtp", "--size", "9", "--playouts", "100000000"]);
    engine.send("time_settings 0 1 0").send("1 genmove b").send("# interrupt");
    engine.expect("=1 ");
}

/// Section 4.1.1: fixed handicap; White moves next, and undo cannot take it back.
#[test]
fn handicap_stones_are_no_moves() {
    let mut engine = start();
    assert_eq!(engine.send("1 fixed_handicap 2").expect("=1"), "=1 C3 G7");
    engine.send("2 undo").expect("?2 cannot undo");
    engine.send("3 fixed_handicap 2").expect("?3 board not empty");
    engine.send("clear_board");
    engine.send("4 set_free_handicap A1 A1").expect("?4 bad vertex list");
    engine.send("5 set_free_handicap A1 B2").expect("=5");
}

/// Bridges send negative and fractional times (gtp2ogs #369); a time command is never an error for it.
#[test]
fn odd_times_are_taken() {
    let mut engine = start();
    for (id, line) in [
        "time_left b -5 0",
        "time_left w 3.5 0",
        "time_settings 1 1 0",
        "kgs-time_settings byoyomi 60 10 5",
        "kata-time_settings fischer 60 1.5",
        "kgs-time_settings none",
    ]
    .iter()
    .enumerate()
    {
        engine.send(&format!("{id} {line}")).expect(&format!("={id}"));
    }
}

/// A game that is over is scored by who owns what, dead stones taken off.
#[test]
fn a_divided_board_is_scored() {
    let mut engine = start();
    engine.send("komi 0.5");
    for row in 1..=9 {
        engine.send(&format!("play b C{row}")).send(&format!("play w D{row}"));
    }
    engine.send("play w A5");
    assert_eq!(engine.send("1 final_score").expect("=1"), "=1 W+27.5");
    assert_eq!(engine.send("2 final_status_list dead").expect("=2"), "=2 A5");
    assert_eq!(engine.send("3 final_status C5").expect("=3"), "=3 alive");
    // KataGo #366: right before two passes, wrong after them.
    engine.send("play b pass").send("play w pass").send("play b pass").send("clear_cache");
    assert_eq!(engine.send("4 final_status_list dead").expect("=4"), "=4 A5");
}

/// Non-UTF-8 bytes, endless words, ids out of range: an answer or silence, and the engine goes on.
#[test]
fn nonsense_is_survived() {
    let mut engine = start();
    for line in [
        "",
        "#",
        "99999999999 name",
        "5",
        "play",
        "play b",
        "genmove",
        "komi nan",
        "loadsgf",
        "loadsgf /",
        "gg-undo -1",
        "kata-set-rules {",
        "final_status",
        "set_position b",
        "\u{feff}name",
        "kata-analyze b avoid",
        "time_left b x 0",
        "boardsize x",
        "fixed_handicap 99",
    ] {
        engine.send(line);
    }
    engine.send("77 name").expect("=77 Tegenspel");
}

/// Thinking on the opponent's time says nothing and ends with any line.
#[test]
fn pondering_is_silent_and_ends_at_any_line() {
    let mut engine = Engine::start(&["gtp", "--size", "9", "--playouts", "100", "--ponder"]);
    engine.send("1 genmove b").expect("=1");
    engine.send("2 name").expect("=2 Tegenspel");
    engine.send("3 genmove w").expect("=3");
    engine.send("4 quit").expect("=4");
    engine.expect_exit();
}

/// "quit": answered, then closed.
#[test]
fn quit_is_answered_before_the_end() {
    let mut engine = start();
    engine.send("1 quit").expect("=1");
    engine.expect_exit();
}

/// What was asked before `quit` is answered, but not thought about to the end of its time.
#[test]
fn quit_behind_a_search_ends_it_with_a_move() {
    let mut engine = Engine::start(&["gtp", "--size", "9", "--memory", "16"]);
    engine.send("time_settings 6000 0 0").send("name").expect("= Tegenspel");
    // A move has four minutes here, which is longer than the test waits for a line.
    engine.send("1 genmove b").send("2 genmove w").send("3 quit");
    assert_eq!(engine.expect("=1 ").len(), "=1 E5".len());
    assert_eq!(engine.expect("=2 ").len(), "=2 E5".len());
    engine.expect("=3");
    engine.expect_exit();
}

/// With a number of playouts a move is the same every time, also in a pipe.
#[test]
fn quit_lets_a_fixed_number_of_playouts_be_made() {
    let mut engine = Engine::start(&["gtp", "--size", "9", "--playouts", "300", "--seed", "7"]);
    let first = engine.send("1 genmove b").expect("=1 ");
    let mut engine = Engine::start(&["gtp", "--size", "9", "--playouts", "300", "--seed", "7"]);
    assert_eq!(engine.send("1 genmove b").send("quit").expect("=1 "), first);
}

/// A comment, or a byte order mark, before the first command says nothing of the protocol.
#[test]
fn a_comment_may_come_first() {
    let mut engine = Engine::start(&[]);
    engine.send("\u{feff}").send("# hello").send("1 protocol_version").expect("=1 2");
}

/// A script through a pipe: end of input ends the engine after the answers.
#[test]
fn end_of_input_during_an_analysis_exits() {
    let mut engine = start();
    engine.send("lz-analyze 10").expect("info move");
    engine.close_input().expect_exit();
    // One that begins only after the end is over at once.
    let mut engine = start();
    engine.send_bytes(b"final_score\nlz-analyze 10\n").close_input().expect_exit();
}

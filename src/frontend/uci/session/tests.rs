//! UCI (April 2006) and what the field adds to it, without a thread: lines in, lines and actions out.

use super::*;
use crate::engine::Bound;

/// A session whose thinking thread is the test.
struct Talk(Session<Vec<u8>>);

impl Talk {
    fn new() -> Self {
        Self(Session::new(Vec::new()))
    }

    fn say(&mut self, line: &str) -> Vec<Action> {
        self.0.obey(line.as_bytes()).unwrap();
        self.0.take_actions()
    }

    fn report(&mut self, report: &Report<Move>) -> Vec<Action> {
        self.0.report(report).unwrap();
        self.0.take_actions()
    }

    fn done(&mut self) -> Vec<Action> {
        let best = self.0.record.position().legal_moves().iter().next().copied();
        self.report(&Report::Done { best, ponder: None })
    }

    /// What was written since the last call.
    fn heard(&mut self) -> Vec<String> {
        let bytes = std::mem::take(self.0.output.inner());
        String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
    }

    /// The limits of the search that a line starts.
    fn limits(&mut self, line: &str) -> Limits {
        let mut actions = self.say(line);
        self.done();
        match actions.pop() {
            Some(Action::Search { limits, .. }) => limits,
            other => panic!("{line}: {other:?}"),
        }
    }
}

fn info(depth: u32, multipv: u32, score: i32, milliseconds: u64) -> Report<Move> {
    Report::Info(Info {
        depth,
        seldepth: depth,
        multipv,
        score,
        pawn: 100,
        bound: Bound::Exact,
        wdl: [0, 1000, 0],
        nodes: 1,
        hashfull: 0,
        tb_hits: 0,
        time: Duration::from_millis(milliseconds),
        pv: Vec::new(),
    })
}

fn is_search(action: &Action) -> bool {
    matches!(action, Action::Search { .. })
}

#[test]
fn a_stop_while_idle_is_nothing() {
    let mut talk = Talk::new();
    assert!(talk.say("stop").is_empty() && talk.say("ponderhit").is_empty());
    assert!(talk.heard().is_empty());
}

#[test]
fn isready_is_answered_at_once_only_while_thinking() {
    let mut talk = Talk::new();
    assert!(matches!(talk.say("isready")[..], [Action::Sync]));
    assert!(talk.heard().is_empty());
    talk.report(&Report::Ready);
    assert_eq!(talk.heard(), ["readyok"]);
    talk.say("go infinite");
    assert!(talk.say("isready").is_empty());
    assert_eq!(talk.heard(), ["readyok"]);
}

#[test]
fn a_second_go_waits_for_the_first_and_both_are_answered() {
    let mut talk = Talk::new();
    assert!(is_search(&talk.say("go nodes 50")[0]));
    assert!(talk.say("position startpos moves e2e4").is_empty());
    assert!(talk.say("go nodes 50").is_empty());
    let next = talk.report(&Report::Done { best: None, ponder: None });
    let [Action::Search { root, .. }] = &next[..] else { panic!("{next:?}") };
    assert_eq!(root.record.moves().len(), 1);
    assert!(talk.done().is_empty());
    assert_eq!(talk.heard().iter().filter(|line| line.starts_with("bestmove")).count(), 2);
}

#[test]
fn a_stop_ends_all_that_was_asked_for_before_it() {
    let mut talk = Talk::new();
    talk.say("go movetime 5");
    talk.say("go infinite");
    assert!(matches!(talk.say("stop")[..], [Action::Stop]));
    talk.say("go depth 1");
    assert!(matches!(talk.done()[..], [Action::Search { .. }, Action::Stop]));
    assert!(matches!(talk.done()[..], [Action::Search { .. }]));
}

#[test]
fn a_ponderhit_reaches_a_search_that_has_not_begun() {
    let mut talk = Talk::new();
    talk.say("go movetime 5");
    talk.say("go ponder wtime 1000 btime 1000");
    talk.say("ponderhit");
    assert!(matches!(talk.done()[..], [Action::Search { ponder: false, .. }]));
}

#[test]
fn a_position_set_during_a_search_is_for_the_next_one() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    assert!(talk.say("position startpos moves e2e4").is_empty());
    // The answer is a move of the position that was searched.
    let best = Position::start().parse_move("d2d4");
    talk.report(&Report::Done { best, ponder: None });
    assert_eq!(talk.heard(), ["bestmove d2d4"]);
}

#[test]
fn options_set_during_a_search_wait_for_its_end() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    assert!(talk.say("setoption name Hash value 32").is_empty());
    assert!(talk.say("setoption name Threads value 2").is_empty());
    assert!(talk.say("ucinewgame").is_empty());
    let actions = talk.done();
    let [Action::Apply(first), Action::Apply(second), Action::Forget] = &actions[..] else {
        panic!("{actions:?}")
    };
    assert_eq!((first.hash, first.threads), (32, 1));
    assert_eq!((second.hash, second.threads), (32, 2));
}

#[test]
fn a_table_is_saved_before_what_is_set_later_empties_it() {
    let before = Settings::default();
    let saves_first = |actions: &[Action]| {
        let [Action::Apply(saves), Action::Apply(clears), ..] = actions else {
            panic!("{actions:?}")
        };
        assert!(saves.save_hash != before.save_hash && saves.clear_hash == before.clear_hash);
        assert!(clears.save_hash == saves.save_hash && clears.clear_hash != before.clear_hash);
    };
    let mut talk = Talk::new();
    talk.say("go infinite");
    talk.say("setoption name Save Hash");
    talk.say("setoption name Clear Hash");
    saves_first(&talk.done());
    talk.say("go infinite");
    talk.say("setoption name Save Hash");
    talk.say("setoption name Clear Hash");
    assert!(matches!(talk.say("quit")[..], [Action::Stop, Action::Quit]));
    let last = talk.0.last_actions();
    assert!(matches!(last[..], [Action::Apply(_), Action::Apply(_), Action::Settle]), "{last:?}");
}

/// A list of searches that is piped in is not all searched in the time of the first.
#[test]
fn the_time_of_a_search_counts_from_where_it_begins() {
    let mut talk = Talk::new();
    talk.say("go movetime 5");
    talk.say("go movetime 5");
    talk.say("go wtime 100 btime 100");
    let waited = Instant::now();
    let starts: Vec<bool> = (0..2)
        .map(|_| match &talk.done()[..] {
            [Action::Search { limits, .. }] => limits.start >= waited,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(starts, [true, false], "but a player's clock runs from the command on");
}

/// GUIs send all options before each search.
#[test]
fn an_option_set_to_its_value_does_nothing() {
    let mut talk = Talk::new();
    assert!(talk.say("setoption name Hash value 16").is_empty());
    assert!(talk.say("setoption name Threads value 1").is_empty());
    assert_eq!(talk.say("setoption name Clear Hash").len(), 1);
    assert_eq!(talk.say("setoption name Clear Hash").len(), 1);
    assert!(talk.heard().is_empty());
}

#[test]
fn an_option_that_is_none_is_reported_and_changes_nothing() {
    let mut talk = Talk::new();
    for line in ["name Hash value 0", "name Hash value 1.5", "name Colour value red", "value 3"] {
        assert!(talk.say(&format!("setoption {line}")).is_empty());
        let heard = talk.heard();
        assert!(heard.len() == 1 && heard[0].starts_with("info string "), "{line}: {heard:?}");
    }
    assert!(talk.0.has_refused());
}

#[test]
fn the_queue_is_bounded() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    for _ in 0..LONGEST_QUEUE {
        talk.say("go nodes 1");
    }
    assert!(talk.heard().is_empty());
    talk.say("go nodes 1");
    assert_eq!(talk.heard(), ["info string too many commands wait for the search to end"]);
}

#[test]
fn games_that_wait_are_bounded() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    let game = " g1f3 g8f6 f3g1 f6g8".repeat(50_000);
    talk.say(&format!("position startpos moves{game}"));
    for _ in 0..MOST_PLIES / 200_000 {
        talk.say("go nodes 1");
    }
    assert!(talk.heard().is_empty());
    talk.say("go nodes 1");
    assert_eq!(talk.heard(), ["info string too many commands wait for the search to end"]);
}

#[test]
fn a_bad_position_leaves_the_old_one() {
    let mut talk = Talk::new();
    talk.say("position startpos moves e2e4");
    for line in [
        "position startpos moves d2d4 a1f8",
        "position startpos moves e2e4 e2e4",
        "position fen 8/8/8/8/8/8/8 w - - 0 1",
        "position fen 4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
        "position fen P3k3/8/8/8/8/8/8/4K2p w - - 0 1",
        "position fen 8/8/8/8/8/8/8/K6k r - - 0 1",
        "position startpos e2e4",
    ] {
        talk.say(line);
        let heard = talk.heard();
        assert!(heard.len() == 1 && heard[0].starts_with("info string "), "{line}: {heard:?}");
        assert_eq!(talk.0.record.moves().len(), 1);
    }
    talk.say("position startpos moves d2d4 a1f8");
    assert_eq!(
        talk.heard(),
        ["info string move 2 of the list, 'a1f8', is not legal; the position is unchanged"]
    );
}

#[test]
fn both_forms_of_castling_are_read() {
    let mut talk = Talk::new();
    for moves in ["e1h1 e8a8", "e1g1 e8c8"] {
        talk.say(&format!("position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves {moves}"));
        assert_eq!(talk.0.record.position().king(crate::chess::Color::Black).to_string(), "c8");
    }
    assert!(talk.heard().is_empty());
}

#[test]
fn searchmoves_are_moves_of_the_position_each_once() {
    let mut talk = Talk::new();
    let actions = talk.say("go depth 1 searchmoves e2e4 zzzz e2e4 d2d4 e7e5");
    let [Action::Search { root, .. }] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(root.search_moves.len(), 2);
    assert_eq!(talk.heard(), ["info string searchmoves: 'zzzz' is not legal here"]);
}

#[test]
fn the_clock_is_that_of_the_side_to_move() {
    let mut talk = Talk::new();
    let clock = |limits: Limits| limits.clock.map(|clock| clock.time.as_millis());
    assert_eq!(clock(talk.limits("go wtime 1000 btime 2000")), Some(1000));
    talk.say("position startpos moves e2e4");
    assert_eq!(clock(talk.limits("go wtime 1000 btime 2000")), Some(2000));
    assert_eq!(clock(talk.limits("go btime -5 wtime 2000")), Some(0));
    assert_eq!(clock(talk.limits("go wtime 1000")), Some(1000));
    assert_eq!(clock(talk.limits("go depth 3")), None);
}

#[test]
fn a_clock_without_moves_to_go_is_sudden_death() {
    let mut talk = Talk::new();
    let moves_to_go = |limits: Limits| limits.clock.and_then(|clock| clock.moves_to_go);
    assert_eq!(moves_to_go(talk.limits("go wtime 1000 btime 1000 movestogo 0")), None);
    assert_eq!(moves_to_go(talk.limits("go wtime 1000 btime 1000 movestogo 1")), Some(1));
}

#[test]
fn a_word_of_go_that_cannot_be_read_is_named_and_the_search_begins() {
    let mut talk = Talk::new();
    assert_eq!(talk.limits("go depth 3x movetime 100").move_time, Some(Duration::from_millis(100)));
    assert_eq!(talk.heard()[0], "info string go: cannot read '3x'");
}

/// Where there is no legal move: as Stockfish writes it.
#[test]
fn no_move_is_written_none() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    talk.report(&Report::Done { best: None, ponder: None });
    assert_eq!(talk.heard(), ["bestmove (none)"]);
}

#[test]
fn a_minimal_answer_is_the_last_line_and_the_move() {
    let mut talk = Talk::new();
    talk.say("setoption name Minimal value true");
    talk.say("go depth 2");
    for report in [info(1, 1, 5, 0), info(1, 2, 4, 0), info(2, 1, 6, 1), info(2, 2, 3, 1)] {
        talk.report(&report);
    }
    talk.report(&Report::Heartbeat { nodes: 1, time: Duration::ZERO, hashfull: 0 });
    assert!(talk.heard().is_empty());
    talk.done();
    let heard = talk.heard();
    assert_eq!(heard.len(), 3, "{heard:?}");
    assert!(heard[0].contains("depth 2 seldepth 2 multipv 1 score cp 6"));
    assert!(heard[1].contains("multipv 2 score cp 3") && heard[2].starts_with("bestmove"));
}

/// A GUI hung on 245 depths in a millisecond.
#[test]
fn depths_that_say_the_same_in_no_time_are_not_shown_but_for_the_last() {
    let mut talk = Talk::new();
    talk.say("setoption name MultiPV value 2");
    talk.say("go depth 245");
    for depth in 1..=245 {
        talk.report(&info(depth, 1, 31_990, 1));
        talk.report(&info(depth, 2, 31_980, 1));
    }
    talk.done();
    let heard = talk.heard();
    assert!(heard.len() <= 2 * (FLOOD_DEPTH as usize + 1) + 1, "{}", heard.len());
    let last = heard.len();
    assert!(heard[last - 3].starts_with("info depth 245 seldepth 245 multipv 1"));
    assert!(heard[last - 2].starts_with("info depth 245 seldepth 245 multipv 2"));
    assert!(heard[last - 1].starts_with("bestmove"));
}

#[test]
fn a_new_score_and_a_slow_depth_are_always_shown() {
    let mut talk = Talk::new();
    talk.say("go infinite");
    talk.report(&info(50, 1, 7, 0));
    talk.report(&info(51, 1, 8, 0));
    talk.report(&info(52, 1, 8, 1000));
    assert_eq!(talk.heard().len(), 3);
}

#[test]
fn perft_and_bench_are_long_tasks() {
    let mut talk = Talk::new();
    assert!(matches!(talk.say("go perft 3")[..], [Action::Perft { depth: 3, .. }]));
    assert!(talk.say("bench").is_empty());
    assert!(matches!(talk.say("stop")[..], [Action::Stop]));
    let next = talk.report(&Report::Output("Nodes searched: 8902\n".into()));
    assert!(matches!(next[..], [Action::Bench { .. }, Action::Stop]));
    assert!(talk.report(&Report::Failure("no".into())).is_empty());
    assert_eq!(talk.heard(), ["Nodes searched: 8902", "", "info string no"]);
    assert!(talk.0.is_idle());
}

/// A GUI may close its dialogue over a long list; and Arena reads an empty default as no option.
#[test]
fn the_introduction_is_short_and_well_formed() {
    let mut talk = Talk::new();
    talk.say("uci");
    let heard = talk.heard();
    assert!(heard.join("\n").len() < 4096);
    assert!(heard[0].starts_with("id name Tegenspel ") && heard.last().unwrap() == "uciok");
    for line in &heard {
        assert!(Answer::parse(line).is_ok() && line.is_ascii(), "{line}");
        assert!(!line.ends_with("default"), "{line}");
    }
}

#[test]
fn a_user_of_xboard_is_told_what_to_do() {
    let mut talk = Talk::new();
    talk.say("xboard");
    assert!(talk.heard()[0].contains("polyglot"));
}

#[test]
fn input_and_output_are_logged() {
    let path = std::env::temp_dir().join(format!("tegenspel-log-{}", std::process::id()));
    let mut talk = Talk::new();
    talk.say(&format!("setoption name Debug Log File value {}", path.display()));
    talk.say("position fen nonsense");
    talk.say("setoption name Debug Log File value");
    talk.say("d");
    let log = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[0], ">> position fen nonsense");
    assert!(lines[1].starts_with("<< info string FEN"));
    assert_eq!(lines.len(), 3, "{log}");
}

#[test]
fn a_log_that_cannot_be_written_is_a_message() {
    let mut talk = Talk::new();
    talk.say("setoption name Debug Log File value /no/such/folder/log");
    let heard = talk.heard();
    assert!(heard[0].starts_with("info string the log file cannot be written"), "{heard:?}");
    assert_eq!(talk.0.settings, Settings::default());
}

/// The threat of 1.e4 e5 2.Qh5 Nc6 3.Bc4 is what White would play if Black passed.
#[test]
fn a_threat_is_searched_for_the_side_that_is_not_to_move() {
    let mut talk = Talk::new();
    talk.say("position startpos moves e2e4 e7e5 d1h5 b8c6 f1c4");
    let actions = talk.say("threat depth 3");
    let [Action::Search { root, limits, .. }] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(root.record.position().side_to_move(), crate::chess::Color::White);
    assert_eq!(limits.depth, Some(3));
    talk.done();
    talk.say("position startpos moves e2e4 f7f5 d1h5");
    assert!(talk.say("threat depth 3").is_empty());
    assert!(talk.heard().pop().unwrap().contains("cannot pass"));
}

#[test]
fn tables_are_asked_for_their_verdict_only_if_there_are_any() {
    let mut talk = Talk::new();
    assert!(talk.say("d").is_empty());
    talk.say("setoption name SyzygyPath value /some/folder");
    assert!(matches!(talk.say("d")[..], [Action::LookUp(_)]));
}

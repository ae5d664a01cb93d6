//! Feeds a go engine random and mutated lines and checks that it lives, answers every command once and in
//! order, writes only well-formed responses, and does not grow.
//!
//! usage: `fuzz_gtp ENGINE [LINES [SEED]]`; the engine is started with few playouts a move.

use std::{collections::VecDeque, process::ExitCode, time::Instant};

use protocol::gtp;
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use tools::fuzz::{self, Output, Patient, harmless_line, mutate_bytes, mutate_words, noise};

/// Lines sent before all their answers are awaited.
const BLOCK: usize = 500;

/// Well-formed lines to mutate.
const LINES: &[&str] = &[
    "protocol_version",
    "name",
    "version",
    "list_commands",
    "known_command play",
    "boardsize 5",
    "boardsize 3",
    "boardsize 7",
    "boardsize 25",
    "rectangular_boardsize 5 5",
    "clear_board",
    "komi 6.5",
    "komi -3",
    "get_komi",
    "play b C3",
    "play w D4",
    "play B a1",
    "play white b1",
    "play black pass",
    "black B2",
    "white C4",
    "undo",
    "gg-undo 2",
    "genmove b",
    "genmove w",
    "reg_genmove b",
    "genmove_white",
    "kgs-genmove_cleanup w",
    "lz-genmove_analyze b 10",
    "kata-genmove_analyze w interval 5 ownership true",
    "genmove_analyze b 3",
    "kata-search b",
    "kata-search_cancellable w",
    "kata-search_analyze_cancellable b interval 1",
    "lz-analyze b 2",
    "kata-analyze interval 1 rootInfo true ownership true pvVisits true",
    "kata-analyze w 1 avoid w A1,B2,pass 3 allow b C3 1 minmoves 2 maxmoves 4",
    "analyze 5",
    "fixed_handicap 2",
    "place_free_handicap 3",
    "set_free_handicap A1 C3",
    "time_settings 60 10 5",
    "time_settings 0 0 0",
    "time_settings 1 1 0",
    "time_left b 10.5 0",
    "time_left w -3 2",
    "kgs-time_settings byoyomi 10 5 3",
    "kgs-time_settings canadian 0 10 5",
    "kgs-time_settings none",
    "kata-time_settings fischer 60 1.5",
    "kata-list_time_settings",
    "final_score",
    "final_status_list dead",
    "final_status_list seki",
    "final_status C3",
    "showboard",
    "list_stones b",
    "all_legal w",
    "is_legal b A1",
    "captures w",
    "move_history",
    "unconditional_status b",
    "kgs-rules japanese",
    "kata-set-rules tromp-taylor",
    "kata-set-rules {\"ko\":\"POSITIONAL\",\"scoring\":\"AREA\",\"suicide\":true}",
    "kata-set-rule suicide false",
    "kata-get-rules",
    "kata-get-param maxPlayouts",
    "kata-get-params",
    "kata-set-param ponderingEnabled true",
    "kata-set-params {\"allowResignation\":\"false\"}",
    "set_position b A1 w C3",
    "gogui-setup b A1 w B2",
    "gogui-setup_player w",
    "gogui-play_sequence b A1 w B2 b C3",
    "gogui-analyze_commands",
    "gogui-interrupt",
    "kgs-game_over",
    "cgos-gameover",
    "clear_cache",
    "printsgf",
    "loadsgf /nowhere.sgf 3",
    "set_random_seed 3",
    "cputime",
    "level 10",
    "stop",
    "# interrupt",
    "",
];

/// Values that break what takes them on trust.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1",
    "255",
    "4294967296",
    "1e99",
    "nan",
    "inf",
    "3x",
    "1.5",
    "b",
    "W",
    "black",
    "pass",
    "resign",
    "A1",
    "I5",
    "Z25",
    "z26",
    "T0",
    "interval",
    "avoid",
    "allow",
    "true",
    "{",
    "}",
    "\"",
    ":",
    "#",
    "\u{feff}",
    "\u{e9}",
    "\0",
    "\t",
    "=",
    "?",
    "7",
    "00012",
];

fn main() -> ExitCode {
    fuzz::main("fuzz_gtp", fuzz)
}

fn fuzz(engine: &str, lines: usize, seed: u64) -> Result<String, String> {
    let arguments = ["gtp", "--playouts", "4", "--size", "5", "--memory", "16"];
    let mut patient = Patient::start(engine, &arguments)?;
    let mut random = SmallRng::seed_from_u64(seed);
    let mut answered = 0;
    let start = Instant::now();
    for block in 0..lines.div_ceil(BLOCK) {
        let mut bytes = Vec::new();
        let mut awaited = VecDeque::new();
        let mut send = |line: &[u8]| {
            if let Some(request) = gtp::parse(&String::from_utf8_lossy(line)) {
                awaited.push_back(request.id);
            }
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
        };
        for _ in 0..BLOCK.min(lines - block * BLOCK) {
            send(&harmless_line(&mut random, candidate, is_harmless));
        }
        send(b"name");
        answered += awaited.len();
        patient
            .treat(&bytes, |output| listen(output, awaited))
            .map_err(|fault| format!("block {block}: {fault}"))?;
    }
    let (heard, early, late) = patient.dismiss()?;
    Ok(format!(
        "{lines} lines, {answered} answers, {heard} lines heard in {:.0} s; memory {early} to {late} MiB",
        start.elapsed().as_secs_f64()
    ))
}

/// Reads a response for each id: `=id text` or `?id text`, more lines, and one empty line.
fn listen(output: &mut Output, mut awaited: VecDeque<Option<u32>>) -> Result<(), String> {
    let mut inside = false;
    while inside || !awaited.is_empty() {
        let line = output.next(|| format!("{} answers", awaited.len()))?;
        if line.chars().any(|c| c.is_control() && c != '\t') {
            return Err(format!("control character in {line:?}"));
        }
        if inside {
            inside = !line.is_empty();
            continue;
        }
        let id = awaited.pop_front().unwrap_or_default();
        let rest = line.strip_prefix(['=', '?']).ok_or_else(|| format!("no response: {line:?}"))?;
        let said = rest.split(' ').next().unwrap_or_default();
        if said != id.map(|id| id.to_string()).unwrap_or_default() {
            return Err(format!("{line:?} where an answer to {id:?} was awaited"));
        }
        inside = true;
    }
    Ok(())
}

/// Whether a line neither ends the program nor keeps it busy for long, nor writes files.
fn is_harmless(line: &[u8], random: &mut SmallRng) -> bool {
    let text = String::from_utf8_lossy(line);
    let Some(request) = gtp::parse(&text) else { return true };
    match request.name.as_str() {
        "quit" => false,
        "printsgf" => request.arguments.is_empty(),
        "kata-set-param" | "kata-set-params" => {
            !text.contains("maxPlayouts") && !text.contains("numSearchThreads")
        }
        // A thousand playouts each, unless the board is the one of the question before.
        "final_score" | "final_status" | "final_status_list" => random.random_ratio(1, 20),
        _ => true,
    }
}

fn candidate(random: &mut SmallRng) -> Vec<u8> {
    let base = LINES[random.random_range(0..LINES.len())];
    match random.random_range(0..10) {
        0..=2 => base.as_bytes().to_vec(),
        3 => noise(random),
        4 => format!("{} {base}", random.random_range(0..100_000)).into_bytes(),
        5..=7 => mutate_words(base, WORDS, random),
        _ => mutate_bytes(base, random),
    }
}

//! `bench`: the signature and the speed, in the forms that test frameworks call.

use std::{
    fmt::Write,
    fs,
    io::{self, Write as _},
    iter,
    num::NonZero,
    thread,
    time::{Duration, Instant},
};

use super::display::DEEPEST_PERFT;
use crate::{
    chess::{
        Position, Settings,
        bench::{DEPTH, Measured, Speed, bench, speed},
        perft::divide_until,
        samples::POSITIONS,
    },
    engine::{Limits, Signals},
};

/// `bench [hash [threads [limit [file [type]]]]]`: MiB, threads, a number, `default`, `current` or
/// a file with a FEN or EPD a line, and what the number limits (`depth`, `nodes`, `movetime`,
/// `perft`). Returns the line that `OpenBench` looks for.
///
/// # Errors
/// If an argument cannot be read, or the file, or a position in it; or if it was stopped: a count of a
/// part would be taken for a signature.
pub(super) fn run(words: &[String], current: &str, signals: &Signals) -> Result<String, String> {
    let word = |index: usize, default| words.get(index).map_or(default, String::as_str);
    let number = |index: usize, default: u64| {
        words.get(index).map_or(Ok(default), |text| {
            text.parse().map_err(|_| format!("bench: '{text}' is not a number"))
        })
    };
    let settings = Settings {
        hash: number(0, 16)?.max(1) as usize,
        threads: number(1, 1)?.clamp(1, 1024) as usize,
        ..Settings::default()
    };
    let limit = number(2, u64::from(DEPTH))?;
    let depth = u32::try_from(limit).unwrap_or(u32::MAX);
    let positions = match word(3, "default") {
        "default" => POSITIONS.iter().map(|&fen| fen.to_owned()).collect(),
        "current" => vec![current.to_owned()],
        path => positions_of(path)?,
    };
    let mut limits = Limits::default();
    match word(4, "depth") {
        "depth" => limits.depth = Some(depth),
        "nodes" => limits.nodes = Some(limit),
        "movetime" => limits.move_time = Some(Duration::from_millis(limit)),
        "perft" => {}
        other => return Err(format!("bench: unknown kind of limit '{other}'")),
    }
    let measured = if word(4, "depth") == "perft" {
        perft_all(&positions, depth, signals)?
    } else {
        bench(&positions, &settings, &limits, signals, &mut |_, _, _| {})?
    };
    if signals.stopped() {
        return Err("bench was stopped".to_owned());
    }
    Ok(summary(measured))
}

/// `speedtest [threads [hash [seconds]]]`: how the speed grows from one thread to all, in all for
/// so many seconds; the hash is in MiB and for all threads. Returns a table.
///
/// # Errors
/// If an argument cannot be read, the table cannot be had, or it was stopped.
pub(super) fn speed_test(words: &[String], signals: &Signals) -> Result<String, String> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let number = |index: usize, default: u64| {
        words.get(index).map_or(Ok(default), |text: &String| {
            text.parse().map_err(|_| format!("speedtest: '{text}' is not a number"))
        })
    };
    let most = number(0, processors as u64)?.clamp(1, 1024) as usize;
    let hash = number(1, 64 * most as u64)?.clamp(1, 1 << 25) as usize;
    let seconds = number(2, 60)?.clamp(1, 100_000);
    let mut steps: Vec<usize> =
        iter::successors(Some(1), |threads| Some(threads * 2)).take_while(|&n| n < most).collect();
    steps.push(most);
    let searches = steps.len() * POSITIONS.len();
    let each = Duration::from_secs(seconds) / searches as u32;
    let mut table =
        format!("{:>7} {:>12} {:>6}  {:>8}  first line", "threads", "nps", "scale", "hashfull");
    let mut single = None;
    for threads in steps {
        let settings = Settings { hash, threads, ..Settings::default() };
        let Speed { measured, hashfull, first_line } = speed(&settings, each, signals)?;
        if signals.stopped() {
            return Err("speedtest was stopped".to_owned());
        }
        let scale = measured.nps() as f64 / *single.get_or_insert(measured.nps().max(1) as f64);
        let (nps, late) = (measured.nps(), first_line.as_secs_f64() * 1000.0);
        // A string takes everything.
        let _ = write!(table, "\n{threads:>7} {nps:>12} {scale:>6.2}  {hashfull:>8}  {late:.1} ms");
    }
    Ok(table)
}

/// Stockfish's lines to standard error, where its tests look; `OpenBench`'s line is returned.
fn summary(measured: Measured) -> String {
    let (nodes, nps) = (measured.nodes, measured.nps());
    let milliseconds = measured.time.as_millis();
    // Nobody may be there to read it.
    let _ = writeln!(
        io::stderr(),
        "\n===========================\nTotal time (ms) : {milliseconds}\nNodes searched  : \
         {nodes}\nNodes/second    : {nps}"
    );
    format!("{nodes} nodes {nps} nps")
}

fn positions_of(path: &str) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("bench: {path}: {error}"))?;
    let mut positions = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(fen) = fen_of(line) {
            Position::from_fen(&fen)
                .map_err(|error| format!("bench: {path}, line {}: {error}", index + 1))?;
            positions.push(fen);
        }
    }
    Ok(positions)
}

/// The position of a line of FEN or EPD (four fields, then operations); none on a blank line or a
/// comment.
fn fen_of(line: &str) -> Option<String> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    if fields.first().is_none_or(|field| field.starts_with('#')) {
        return None;
    }
    let is_fen = fields.len() >= 6 && fields[4..6].iter().all(|f| f.parse::<u32>().is_ok());
    Some(fields[..fields.len().min(if is_fen { 6 } else { 4 })].join(" "))
}

fn perft_all(positions: &[String], depth: u32, signals: &Signals) -> Result<Measured, String> {
    let start = Instant::now();
    let mut nodes = 0;
    for fen in positions {
        let position = Position::from_fen(fen).map_err(|error| error.to_string())?;
        let counts = divide_until(&position, depth.min(DEEPEST_PERFT), &|| signals.stopped());
        nodes += counts.unwrap_or_default().iter().map(|(_, nodes)| nodes).sum::<u64>();
    }
    Ok(Measured { nodes, time: start.elapsed() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The count names the build: that of a part would name another.
    #[test]
    fn a_bench_that_is_stopped_has_no_signature() {
        let signals = Signals::default();
        signals.stop();
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for line in ["16 1 3", "16 1 2 default perft"] {
            assert_eq!(run(&words(line), "", &signals).unwrap_err(), "bench was stopped");
        }
        assert_eq!(speed_test(&words("1 16 1"), &signals).unwrap_err(), "speedtest was stopped");
    }

    #[test]
    fn a_line_of_epd_is_cut_at_its_operations() {
        assert_eq!(fen_of("4k3/8/8/8/8/8/8/4K3 w - - bm Kd2; id \"x\";").unwrap().len(), 25);
        let fen = "4k3/8/8/8/8/8/8/4K3 w - - 3 40";
        assert_eq!(fen_of(fen).as_deref(), Some(fen));
        assert_eq!((fen_of(""), fen_of("# comment")), (None, None));
    }

    /// One line for each doubling, and one for all threads.
    #[test]
    fn the_speed_test_goes_from_one_thread_to_all() {
        let signals = Signals::default();
        let words = ["3", "3", "1"].map(str::to_owned);
        let table = speed_test(&words, &signals).unwrap();
        let threads: Vec<_> =
            table.lines().skip(1).map(|line| line.split_whitespace().next().unwrap()).collect();
        assert_eq!(threads, ["1", "2", "3"]);
        let wrong = ["many".to_owned()];
        assert_eq!(speed_test(&wrong, &signals).unwrap_err(), "speedtest: 'many' is not a number");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let run = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            run(&words, "", &Signals::default()).unwrap_err()
        };
        assert_eq!(run("16 1 deep"), "bench: 'deep' is not a number");
        assert_eq!(run("16 1 1 default days"), "bench: unknown kind of limit 'days'");
        assert!(run("16 1 1 /no/such/file").starts_with("bench: /no/such/file: "));
    }
}

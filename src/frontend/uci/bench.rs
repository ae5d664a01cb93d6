//! `bench`: the signature and the speed, in the forms that test frameworks call.

use std::fs;

use crate::{
    chess::{
        Color, Position, Settings, Square,
        bench::{DEPTH, POSITIONS, bench},
    },
    engine::Limits,
};

/// `bench [hash [threads [limit [file [type]]]]]`: MiB, threads, a number, `default`, `current` or
/// a file with a FEN or EPD a line, and what the number limits (`depth`, `nodes`, `movetime`,
/// `perft`).
///
/// # Errors
/// If an argument cannot be read, or the file, or a position in it.
pub(super) fn run(words: &[String], current: &str) -> Result<String, String> {
    let word = |index: usize, default| words.get(index).map_or(default, String::as_str);
    let number = |index: usize, default: u64| {
        let text = word(index, "");
        if text.is_empty() {
            return Ok(default);
        }
        text.parse::<u64>().map_err(|_| format!("'{text}' is not a number"))
    };
    let settings = Settings {
        hash: number(0, 16)?.max(1) as usize,
        threads: number(1, 1)?.clamp(1, 1024) as usize,
        ..Settings::default()
    };
    let limit = number(2, u64::from(DEPTH))?;
    let positions: Vec<String> = match word(3, "default") {
        "default" => POSITIONS.iter().map(|&fen| fen.to_owned()).collect(),
        "current" => vec![current.to_owned()],
        path => positions_of(path)?,
    };
    let mut limits = Limits::default();
    match word(4, "depth") {
        "depth" => limits.depth = Some(limit.min(u64::from(u32::MAX)) as u32),
        "nodes" => limits.nodes = Some(limit),
        "movetime" => limits.move_time = Some(std::time::Duration::from_millis(limit)),
        "perft" => return perft_sum(&positions, limit as u32),
        other => return Err(format!("unknown limit type '{other}'")),
    }
    let measured = bench(&positions, &settings, &limits, &mut |_, _, _| {})?;
    let (nodes, nps) = (measured.nodes, measured.nps());
    eprint_summary(measured.time.as_millis(), nodes, nps);
    Ok(format!("{nodes} nodes {nps} nps"))
}

#[expect(clippy::print_stderr, reason = "where test frameworks look for it")]
fn eprint_summary(milliseconds: u128, nodes: u64, nps: u64) {
    eprintln!("\n===========================");
    eprintln!("Total time (ms) : {milliseconds}");
    eprintln!("Nodes searched  : {nodes}");
    eprintln!("Nodes/second    : {nps}");
}

fn positions_of(path: &str) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut positions = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // An EPD line: four fields, then operations.
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let counters = fields.len() == 6 && fields[4..].iter().all(|f| f.parse::<u32>().is_ok());
        let fen = fields[..if counters { 6 } else { fields.len().min(4) }].join(" ");
        Position::from_fen(&fen).map_err(|error| format!("{path}:{}: {error}", number + 1))?;
        positions.push(fen);
    }
    Ok(positions)
}

fn perft_sum(positions: &[String], depth: u32) -> Result<String, String> {
    let start = std::time::Instant::now();
    let mut nodes = 0;
    for fen in positions {
        let position = Position::from_fen(fen).map_err(|error| error.to_string())?;
        nodes += crate::chess::perft::perft(&position, depth);
    }
    let time = start.elapsed();
    let nps = (u128::from(nodes) * 1_000_000 / time.as_micros().max(1)) as u64;
    eprint_summary(time.as_millis(), nodes, nps);
    Ok(format!("{nodes} nodes {nps} nps"))
}

/// The FEN of a position with colours exchanged.
pub(super) fn flipped(position: &Position) -> String {
    let fen = position.to_fen(position.is_chess960_setup());
    let fields: Vec<&str> = fen.split(' ').collect();
    let swap = |c: char| {
        if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
    };
    let ranks: Vec<String> =
        fields[0].split('/').rev().map(|rank| rank.chars().map(swap).collect()).collect();
    let castling: String = fields[2].chars().map(swap).collect();
    let side = if position.side_to_move() == Color::White { 'b' } else { 'w' };
    let en_passant =
        position.en_passant().map_or_else(|| "-".to_owned(), |sq| Square::flip_rank(sq).to_string());
    format!("{} {side} {castling} {en_passant} {} {}", ranks.join("/"), fields[4], fields[5])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Piece;

    #[test]
    fn flipping_twice_gives_the_position_back() {
        for fen in POSITIONS {
            let position = Position::from_fen(fen).unwrap();
            let once = Position::from_fen(&flipped(&position)).unwrap();
            let twice = Position::from_fen(&flipped(&once)).unwrap();
            assert_eq!(position.to_string(), twice.to_string());
            let white_king = once.king(Color::White).flip_rank();
            assert_eq!(position.piece_on(white_king).map(Piece::color), Some(Color::Black));
        }
    }
}

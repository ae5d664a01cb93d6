//! Texts for people: the board, the counts of perft, help.

use std::fmt::Write;

use crate::chess::{
    Color, Piece, Position, Square,
    perft::{divide_until, perft},
};

/// The board as people see it, with what the rules need besides.
pub(super) fn diagram(position: &Position, chess960: bool) -> String {
    const EDGE: &str = " +---+---+---+---+---+---+---+---+";
    let mut text = format!("\n{EDGE}\n");
    for rank in (0..8).rev() {
        for file in 0..8 {
            let piece = position.piece_on(Square::at(file, rank));
            let _ = write!(text, " | {}", piece.map_or(' ', Piece::to_char));
        }
        let _ = write!(text, " | {}\n{EDGE}\n", rank + 1);
    }
    text.push_str("   a   b   c   d   e   f   g   h\n\n");
    let checkers: Vec<String> = position.checkers().into_iter().map(|sq| sq.to_string()).collect();
    let fen = if chess960 { position.to_fen(true) } else { position.to_string() };
    let _ =
        write!(text, "Fen: {fen}\nKey: {:016X}\nCheckers: {}", position.key(), checkers.join(" "));
    text
}

/// The FEN of a position with colours exchanged.
pub(super) fn flipped(position: &Position) -> String {
    let swap = |c: char| {
        if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
    };
    let fen = position.to_fen(position.is_chess960_setup());
    let fields: Vec<&str> = fen.split(' ').collect();
    let ranks: Vec<String> =
        fields[0].split('/').rev().map(|rank| rank.chars().map(swap).collect()).collect();
    let castling: String = fields[2].chars().map(swap).collect();
    let side = if position.side_to_move() == Color::White { 'b' } else { 'w' };
    let en_passant = position.en_passant().map_or("-".to_owned(), |sq| sq.flip_rank().to_string());
    format!("{} {side} {castling} {en_passant} {} {}", ranks.join("/"), fields[4], fields[5])
}

/// Perft recurses once a ply; nobody lives to see the end of a deeper count.
pub(super) const DEEPEST_PERFT: u32 = 64;

/// What `go perft` answers: the count of each first move, then the sum, as Stockfish prints them.
pub(super) fn perft_text(
    position: &Position,
    depth: u32,
    chess960: bool,
    stop: &impl Fn() -> bool,
) -> String {
    let Some(counts) = divide_until(position, depth.min(DEEPEST_PERFT), stop) else {
        return "info string perft was stopped".to_owned();
    };
    let mut text = String::new();
    let mut nodes = if depth == 0 { perft(position, 0) } else { 0 };
    for (mv, count) in counts {
        let _ = writeln!(text, "{}: {count}", position.move_text(mv, chess960));
        nodes += count;
    }
    let _ = writeln!(text, "\nNodes searched: {nodes}");
    text
}

/// How this program was built.
pub(super) fn compiler() -> String {
    format!(
        "Tegenspel {} for {} on {}, {}, instruction sets: {}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
        if cfg!(debug_assertions) { "with debug assertions" } else { "optimised" },
        instruction_sets(),
    )
}

fn instruction_sets() -> String {
    let sets = [
        ("sse4.1", cfg!(target_feature = "sse4.1")),
        ("popcnt", cfg!(target_feature = "popcnt")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("avx512bw", cfg!(target_feature = "avx512bw")),
        ("neon", cfg!(target_feature = "neon")),
    ];
    let on: Vec<&str> = sets.iter().filter(|(_, on)| *on).map(|&(name, _)| name).collect();
    if on.is_empty() { "baseline".to_owned() } else { on.join(" ") }
}

/// The licence, in a sentence.
pub(super) const LICENSE: &str =
    "Tegenspel is free software under the GNU General Public License, version 3 or later.";

/// The answer to `help`.
pub(super) const HELP: &str = "\
Tegenspel plays chess over UCI, the Universal Chess Interface: point a chess program at this binary.
Or type commands yourself:
  position startpos moves e2e4    set up a position; also: position fen FEN [moves ...]
  go depth 12                     think; also: go movetime 1000, go nodes 100000, go mate 3,
                                  go infinite (until stop), go wtime 60000 btime 60000
  threat movetime 1000            what would the other side play? limits as those of go
  stop, quit
  uci                             list the options; setoption name Hash value 64 sets one
  d, eval, flip                   show the board, explain its evaluation, exchange the colours
  go perft 5                      count the paths of legal moves
  bench [HASH THREADS LIMIT FILE TYPE]
                                  search fixed positions; the node count is the signature
  speedtest [THREADS HASH SECONDS]
                                  speed of one thread, of two, ... of all
  compiler, license, help";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::samples::POSITIONS;

    #[test]
    fn flipping_twice_gives_the_position_back() {
        for fen in POSITIONS {
            let position = Position::from_fen(fen).unwrap();
            let once = Position::from_fen(&flipped(&position)).unwrap();
            let twice = Position::from_fen(&flipped(&once)).unwrap();
            assert_eq!(position.to_string(), twice.to_string());
            assert_eq!(once.king(Color::Black), position.king(Color::White).flip_rank());
        }
    }

    /// As in Stockfish: the square is shown only when the capture is legal.
    #[test]
    fn a_square_that_cannot_be_taken_on_is_not_shown() {
        let text = |fen| diagram(&Position::from_fen(fen).unwrap(), false);
        let legal = "k7/8/8/1pP5/2K5/8/8/8 w - b6 0 1";
        let pinned = "k1r5/8/8/1pP5/2K5/8/8/8 w - b6 0 1";
        assert!(text(legal).contains("\nFen: k7/8/8/1pP5/2K5/8/8/8 w - b6 0 1\n"));
        assert!(text(pinned).contains("\nFen: k1r5/8/8/1pP5/2K5/8/8/8 w - - 0 1\n"));
        assert!(text(legal).ends_with("Checkers: b5"));
    }

    /// Published counts of the start position.
    #[test]
    fn perft_ends_with_the_sum() {
        let text = perft_text(&Position::start(), 3, false, &|| false);
        assert!(text.starts_with("a2a3: 380\n") || text.contains("\na2a3: 380\n"), "{text}");
        assert!(text.trim_end().ends_with("Nodes searched: 8902"));
        assert!(perft_text(&Position::start(), 0, false, &|| false).contains("Nodes searched: 1"));
        assert!(perft_text(&Position::start(), 6, false, &|| true).starts_with("info string"));
        assert!(perft_text(&Position::start(), u32::MAX, false, &|| true).starts_with("info"));
    }
}

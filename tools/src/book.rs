//! Openings from EPD or PGN files, and shuffled start arrays.

use std::{fs, io::Cursor, ops::ControlFlow, path::Path};

use anyhow::{Context, Result, bail};
use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use rand::{RngExt, SeedableRng, rngs::SmallRng, seq::SliceRandom};
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, fen::Fen};

use crate::game::position;

/// The FENs of a book. The kind of file is told by its name: `.pgn`, else one FEN or EPD a line.
/// `plies` cuts the games of a PGN book.
///
/// # Errors
/// If the file cannot be read, or holds no opening that can be played.
pub fn read(path: &Path, plies: usize, chess960: bool) -> Result<Vec<String>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let is_pgn = path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("pgn"));
    let fens = if is_pgn { from_pgn(&bytes, plies, chess960) } else { from_epd(&bytes, chess960) };
    let fens = fens.with_context(|| path.display().to_string())?;
    if fens.is_empty() {
        bail!("{} holds no opening", path.display());
    }
    Ok(fens)
}

fn from_epd(bytes: &[u8], chess960: bool) -> Result<Vec<String>> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().enumerate().map(|(i, line)| (i, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(i, line)| {
            let fen = fen_of_line(line);
            let board = position(&fen, chess960)
                .map_err(|error| anyhow::anyhow!("line {}: {error}", i + 1))?;
            if board.is_game_over() {
                bail!("line {}: the game is over", i + 1);
            }
            Ok(fen)
        })
        .collect()
}

/// The FEN at the head of an EPD line: four fields, and two counters if they are there.
pub fn fen_of_line(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_counter = |i: usize| words.get(i).is_some_and(|word| word.parse::<u32>().is_ok());
    let board = words[..words.len().min(4)].join(" ");
    if is_counter(4) && is_counter(5) {
        format!("{board} {} {}", words[4], words[5])
    } else {
        format!("{board} 0 1")
    }
}

/// The position of a PGN's FEN tag; `None` if it is none.
pub(crate) fn tagged_start(value: RawTag<'_>, mode: CastlingMode) -> Option<Chess> {
    Fen::from_ascii(value.as_bytes()).ok().and_then(|fen| fen.into_position(mode).ok())
}

struct Openings {
    plies: usize,
    mode: CastlingMode,
}

impl Visitor for Openings {
    type Tags = Option<Chess>;
    type Movetext = (Chess, usize);
    type Output = Option<String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(Some(Chess::default()))
    }

    fn tag(
        &mut self,
        tags: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        if name == b"FEN" {
            *tags = tagged_start(value, self.mode);
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Self::Output, Self::Movetext> {
        tags.map_or(ControlFlow::Break(None), |board| ControlFlow::Continue((board, 0)))
    }

    fn san(
        &mut self,
        (board, played): &mut Self::Movetext,
        san: SanPlus,
    ) -> ControlFlow<Self::Output> {
        if *played < self.plies {
            let Ok(mv) = san.san.to_move(board) else { return ControlFlow::Break(None) };
            board.play_unchecked(mv);
            *played += 1;
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (board, _): Self::Movetext) -> Self::Output {
        (!board.is_game_over())
            .then(|| Fen::from_position(&board, EnPassantMode::Legal).to_string())
    }
}

fn from_pgn(bytes: &[u8], plies: usize, chess960: bool) -> Result<Vec<String>> {
    let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
    let mut reader = Reader::new(Cursor::new(bytes));
    let mut visitor = Openings { plies, mode };
    let mut fens = Vec::new();
    while let Some(fen) = reader.read_game(&mut visitor)? {
        fens.extend(fen); // an illegal game is no opening
    }
    Ok(fens)
}

/// Puts the openings in a random order that depends on `seed` alone.
pub fn shuffle(fens: &mut [String], seed: u64) {
    fens.shuffle(&mut SmallRng::seed_from_u64(seed));
}

/// A start array of Chess960 by its number, 0 to 959 (Scharnagl's numbering), as FEN pieces of the
/// first rank in lower case. Larger numbers count on modulo 960.
///
/// # Panics
/// Never: eight squares hold eight pieces.
pub fn array(number: u32) -> String {
    let mut squares = [b' '; 8];
    let number = number % 960;
    let (rest, light) = (number / 4, number % 4);
    squares[(light * 2 + 1) as usize] = b'b';
    let (rest, dark) = (rest / 4, rest % 4);
    squares[(dark * 2) as usize] = b'b';
    let (knights, queen) = (rest / 6, rest % 6);
    let place = |squares: &mut [u8; 8], nth: usize, piece: u8| {
        let free = (0..8).filter(|&i| squares[i] == b' ').nth(nth);
        squares[free.expect("eight squares hold eight pieces")] = piece;
    };
    place(&mut squares, queen as usize, b'q');
    // The ten ways to put two knights on five squares, in Scharnagl's order.
    let mut pairs = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b)));
    let (first, second) = pairs.nth(knights as usize).expect("ten pairs of knights");
    place(&mut squares, second, b'n');
    place(&mut squares, first, b'n');
    for piece in *b"rkr" {
        place(&mut squares, 0, piece);
    }
    String::from_utf8_lossy(&squares).into_owned()
}

/// A position with a Chess960 array for White and the same (or, `double`, another) for Black.
pub fn shuffled_start(seed: u64, double: bool) -> String {
    let mut rng = SmallRng::seed_from_u64(seed);
    let white = rng.random_range(0..960);
    let black = if double { rng.random_range(0..960) } else { white };
    arrays_to_fen(white, black)
}

/// The start position of two Chess960 arrays, by number, as Shredder FEN.
pub fn arrays_to_fen(white: u32, black: u32) -> String {
    let (white, black) = (array(white), array(black));
    let rooks = |array: &str| -> String {
        let files = array.char_indices().filter(|&(_, piece)| piece == 'r');
        files.map(|(file, _)| char::from(b'a' + file as u8)).rev().collect()
    };
    let rights = format!("{}{}", rooks(&white).to_ascii_uppercase(), rooks(&black));
    format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w {rights} - 0 1", white.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// R. Scharnagl, "Fischer-Random-Schach" (2004): the usual array is number 518.
    #[test]
    fn the_arrays_are_scharnagls() {
        assert_eq!(array(518), "rnbqkbnr");
        assert_eq!(array(0), "bbqnnrkr");
        assert_eq!(array(959), "rkrnnqbb");
        assert_eq!((0..960).map(array).collect::<HashSet<_>>().len(), 960);
    }

    #[test]
    fn a_double_shuffled_start_is_a_playable_position() {
        for seed in 0..50 {
            let board = position(&shuffled_start(seed, true), true).unwrap();
            assert_eq!(board.castles().castling_rights().count(), 4);
        }
    }

    #[test]
    fn an_epd_line_may_lack_the_counters() {
        let epd = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - bm Bb5; id \"x\";";
        assert!(fen_of_line(epd).ends_with("KQkq - 0 1"));
        assert!(fen_of_line("8/8/8/8/8/8/8/8 w - - 3 9").ends_with(" 3 9"));
        assert!(from_epd(b"8/8/8/8/8/8/8/8 w - - 0 1", false).is_err());
    }

    #[test]
    fn a_game_is_cut_after_the_plies_asked_for() {
        let fens =
            from_pgn(b"[Event \"?\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n1. e5 *\n", 2, false).unwrap();
        assert_eq!(fens, ["rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"]);
    }
}

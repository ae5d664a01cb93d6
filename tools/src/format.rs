//! Self-play games on disk: some 1.5 bytes a position, whole games, so that filters can be changed
//! and positions be searched again.
//!
//! A file is a header (magic, length, the settings as JSON), then blocks. A block is independent
//! of all others: four little-endian words (bytes, games, positions, checksum), then one stream of
//! the range coder. A move is its number among the legal moves in a fixed order that puts likely
//! moves first; a score is the change since the ply before. Both are coded with adaptive
//! probabilities that start afresh in each block.

use std::io::{self, Read, Write};

use tegenspel::chess::{Color, Move, PieceKind, Position, Square};

use crate::{
    book,
    coder::{Decoder, Encoder, Tree},
    elo::Outcome,
};

/// First bytes of a file.
const MAGIC: &[u8; 8] = b"tgself01";
/// Number of the usual start array.
pub const USUAL_ARRAY: u16 = 518;
/// Larger blocks than this are damage, in bytes.
const BLOCK_LIMIT: u32 = 1 << 26;

/// One game of self-play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelfGame {
    /// Chess960 numbers of White's and Black's array, 0 to 959.
    pub arrays: [u16; 2],
    /// Random moves at the start; they have no score.
    pub opening: u8,
    /// All moves, the random ones too.
    pub moves: Vec<Move>,
    /// Score of the position before each move behind the opening, in centipawns for White.
    pub scores: Vec<i16>,
    /// For White.
    pub outcome: Outcome,
}

impl SelfGame {
    /// The position before the first move.
    pub fn start(&self) -> Position {
        start(self.arrays)
    }
}

/// The start position of two arrays.
///
/// # Panics
/// Never: every array is a position.
pub fn start(arrays: [u16; 2]) -> Position {
    if arrays == [USUAL_ARRAY; 2] {
        return Position::start();
    }
    let [white, black] = arrays.map(u32::from);
    let fen = book::arrays_to_fen(white, black);
    Position::from_fen(&fen).expect("every array is a position")
}

/// Legal moves, likely ones first. The order is part of the format: it depends on nothing that may
/// be tuned, and on the rules only.
pub fn ordered_moves(position: &Position) -> Vec<Move> {
    let enemy = !position.side_to_move();
    let enemy_pawns = position.attacks_by(enemy, PieceKind::Pawn);
    let mut moves: Vec<(i32, u16, Move)> = position
        .legal_moves()
        .iter()
        .map(|&mv| (-likelihood(position, mv, enemy, enemy_pawns), mv.raw(), mv))
        .collect();
    moves.sort_unstable_by_key(|&(key, raw, _)| (key, raw));
    moves.into_iter().map(|(_, _, mv)| mv).collect()
}

/// Usual values of the pieces (Reinfeld), in tenths of a pawn; a king is never lost.
const VALUES: [i32; 6] = [10, 30, 30, 50, 90, 0];

fn likelihood(
    position: &Position,
    mv: Move,
    enemy: Color,
    enemy_pawns: tegenspel::chess::Bitboard,
) -> i32 {
    let piece = position.moved(mv).kind();
    let value = VALUES[piece.index()];
    let gain = position.captured(mv).map_or(0, |kind| VALUES[kind.index()]);
    let promotion = mv.promotion().map_or(0, |kind| VALUES[kind.index()] - VALUES[0]);
    let castles = mv.is_castle();
    let guarded = !castles && position.is_attacked(mv.to(), enemy);
    let was_hit = enemy_pawns.contains(mv.from()) && piece != PieceKind::Pawn;
    // What stands to be lost: all of the piece to a pawn, else what it costs beyond the gain.
    let risk = match (guarded, enemy_pawns.contains(mv.to())) {
        (false, _) => 0,
        (true, true) => value,
        (true, false) => value / 2,
    };
    let flight = if was_hit { value / 2 } else { 0 };
    let towards = centrality(mv.to()) - centrality(mv.from());
    let step = if castles { 8 } else { towards * i32::from(piece != PieceKind::King) };
    4 * (gain + promotion - risk + flight) + step + if gain > 0 { 20 } else { 0 }
}

/// 0 at the rim to 6 in the middle.
fn centrality(square: Square) -> i32 {
    let near = |x: u8| i32::from(x.min(7 - x));
    near(square.file()) + near(square.rank())
}

struct Models {
    /// By whether in check, and by the number of legal moves.
    moves: Vec<Tree>,
    /// Bit lengths of changes of score, by the length before.
    lengths: Vec<Tree>,
    /// Leading bits of a change, by length.
    leading: Vec<Tree>,
    usual: Tree,
    opening: Tree,
    outcome: Tree,
    more: Tree,
}

impl Models {
    fn new() -> Self {
        Self {
            moves: vec![Tree::new(8); 20],
            lengths: vec![Tree::new(5); 20],
            leading: vec![Tree::new(3); 20],
            usual: Tree::new(1),
            opening: Tree::new(8),
            outcome: Tree::new(2),
            more: Tree::new(1),
        }
    }

    fn for_moves(&mut self, position: &Position, legal: usize) -> &mut Tree {
        let crowd = usize::BITS - legal.leading_zeros(); // 0 to 9
        &mut self.moves[crowd as usize + if position.in_check() { 10 } else { 0 }]
    }
}

/// A signed number as an unsigned one, small ones small: 0, -1, 1, -2, 2, …
const fn fold(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

const fn unfold(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

fn write_change(encoder: &mut Encoder, models: &mut Models, before: &mut usize, change: i32) {
    let value = fold(change) + 1;
    let length = value.ilog2(); // 0 to 17
    encoder.symbol(&mut models.lengths[*before], length);
    let known = length.min(3);
    let below = length - known;
    // Fewer than three bits are written as the lowest of three.
    let leading = (value >> below) & ((1 << known) - 1);
    encoder.symbol(&mut models.leading[length as usize], leading);
    encoder.plain(value, below);
    *before = length as usize;
}

fn read_change(decoder: &mut Decoder<'_>, models: &mut Models, before: &mut usize) -> Option<i32> {
    let length = decoder.symbol(&mut models.lengths[*before]);
    if length > 17 {
        return None;
    }
    let known = length.min(3);
    let leading = decoder.symbol(&mut models.leading[length as usize]);
    if leading >> known != 0 {
        return None;
    }
    let below = length - known;
    let value = (1 << length) | (leading << below) | decoder.plain(below);
    *before = length as usize;
    Some(unfold(value - 1))
}

/// The games as a block's stream.
///
/// # Panics
/// If a move is not legal or the lengths do not fit: a game that was never played.
pub fn encode(games: &[SelfGame]) -> Vec<u8> {
    let (mut encoder, mut models) = (Encoder::default(), Models::new());
    for game in games {
        assert_eq!(game.moves.len(), game.opening as usize + game.scores.len(), "a score a move");
        let usual = game.arrays == [USUAL_ARRAY; 2];
        encoder.symbol(&mut models.usual, usual.into());
        if !usual {
            game.arrays.iter().for_each(|&array| encoder.plain(array.into(), 10));
        }
        encoder.symbol(&mut models.opening, game.opening.into());
        encoder.symbol(&mut models.outcome, game.outcome.half_points() as u32);
        let mut position = game.start();
        let (mut last, mut before) = (0, 0);
        for (ply, &mv) in game.moves.iter().enumerate() {
            if ply >= game.opening as usize {
                encoder.symbol(&mut models.more, 1);
                let score = i32::from(game.scores[ply - game.opening as usize]);
                write_change(&mut encoder, &mut models, &mut before, score - last);
                last = score;
            }
            let moves = ordered_moves(&position);
            let index = moves.iter().position(|&other| other == mv);
            let index = index.expect("the moves of a game are legal");
            encoder.symbol(models.for_moves(&position, moves.len()), index as u32);
            position.play(mv);
        }
        encoder.symbol(&mut models.more, 0);
    }
    encoder.finish()
}

/// The games of a block's stream; `None` if it is damaged.
pub fn decode(bytes: &[u8], count: usize) -> Option<Vec<SelfGame>> {
    let (mut decoder, mut models) = (Decoder::new(bytes), Models::new());
    (0..count).map(|_| decode_game(&mut decoder, &mut models)).collect()
}

fn decode_game(decoder: &mut Decoder<'_>, models: &mut Models) -> Option<SelfGame> {
    let mut arrays = [USUAL_ARRAY; 2];
    if decoder.symbol(&mut models.usual) == 0 {
        arrays = [(); 2].map(|()| decoder.plain(10) as u16);
    }
    if arrays.iter().any(|&array| array >= 960) {
        return None;
    }
    let opening = decoder.symbol(&mut models.opening) as u8;
    let outcome = match decoder.symbol(&mut models.outcome) {
        0 => Outcome::Loss,
        1 => Outcome::Draw,
        2 => Outcome::Win,
        _ => return None,
    };
    let mut game = SelfGame { arrays, opening, moves: Vec::new(), scores: Vec::new(), outcome };
    let mut position = game.start();
    let (mut last, mut before) = (0, 0);
    loop {
        if game.moves.len() >= opening as usize {
            if decoder.symbol(&mut models.more) == 0 {
                return Some(game);
            }
            last += read_change(decoder, models, &mut before)?;
            game.scores.push(i16::try_from(last).ok()?);
        }
        let moves = ordered_moves(&position);
        let index = decoder.symbol(models.for_moves(&position, moves.len()));
        let mv = *moves.get(index as usize)?;
        game.moves.push(mv);
        position.play(mv);
    }
}

/// Adler-32 (RFC 1950), enough to tell a torn block from a whole one.
fn checksum(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1_u32, 0_u32);
    for &byte in bytes {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    b << 16 | a
}

/// Writes the head of a file.
///
/// # Errors
/// If the output does not take it.
pub fn write_header(output: &mut impl Write, settings: &str) -> io::Result<()> {
    let bytes = settings.as_bytes();
    output.write_all(MAGIC)?;
    output.write_all(&(bytes.len() as u32).to_le_bytes())?;
    output.write_all(bytes)
}

/// Writes the games as one block.
///
/// # Errors
/// If the output does not take it.
pub fn write_block(output: &mut impl Write, games: &[SelfGame]) -> io::Result<usize> {
    let bytes = encode(games);
    let positions: usize = games.iter().map(|game| game.scores.len()).sum();
    let head = [bytes.len() as u32, games.len() as u32, positions as u32, checksum(&bytes)];
    let mut block: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
    block.extend(&bytes);
    output.write_all(&block)?;
    Ok(block.len())
}

/// Reads files of games, block by block.
#[derive(Debug)]
pub struct BlockReader<R> {
    input: R,
    /// The settings the games were made with, as JSON.
    pub settings: String,
    /// Bytes of the file up to the end of the last sound block.
    pub sound: u64,
}

/// A block not yet decoded.
#[derive(Debug)]
pub struct Block {
    /// Number of games.
    pub games: usize,
    /// Number of positions with a score.
    pub positions: usize,
    bytes: Vec<u8>,
}

impl Block {
    /// The games; `None` if the block was not made by this format.
    pub fn decode(&self) -> Option<Vec<SelfGame>> {
        decode(&self.bytes, self.games)
    }
}

impl<R: Read> BlockReader<R> {
    /// Reads the head of a file.
    ///
    /// # Errors
    /// If the input cannot be read or is no such file.
    pub fn new(mut input: R) -> io::Result<Self> {
        let bad = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        let mut head = [0; 12];
        let whole = read_whole(&mut input, &mut head)?;
        let (magic, length) = head.split_at(8);
        if !whole || magic != MAGIC {
            return Err(bad("this is no file of self-play games"));
        }
        let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
        if length > 1 << 16 {
            return Err(bad("the head of the file is damaged"));
        }
        let mut settings = vec![0; length as usize];
        if !read_whole(&mut input, &mut settings)? {
            return Err(bad("the head of the file is cut short"));
        }
        let settings = String::from_utf8(settings).map_err(|_| bad("the head is not text"))?;
        Ok(Self { input, settings, sound: 12 + u64::from(length) })
    }

    /// The next block; `None` at the end, or where a block is cut short or damaged.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn next_block(&mut self) -> io::Result<Option<Block>> {
        let mut head = [0; 16];
        if !read_whole(&mut self.input, &mut head)? {
            return Ok(None);
        }
        let word = |i: usize| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
        let [length, games, positions, sum] = [0, 4, 8, 12].map(word);
        if length > BLOCK_LIMIT {
            return Ok(None);
        }
        let mut bytes = vec![0; length as usize];
        if !read_whole(&mut self.input, &mut bytes)? || checksum(&bytes) != sum {
            return Ok(None);
        }
        self.sound += 16 + u64::from(length);
        Ok(Some(Block { games: games as usize, positions: positions as usize, bytes }))
    }
}

/// Fills `bytes`; false if the input ends before.
pub(crate) fn read_whole(input: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match input.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game of random moves, whose scores jump as they do in bad games.
    fn random_game(seed: u64) -> SelfGame {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut random = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1442695);
            (state >> 33) as usize % n
        };
        let arrays = if seed.is_multiple_of(3) { [7, 959] } else { [USUAL_ARRAY; 2] };
        let mut position = start(arrays);
        let mut game = SelfGame {
            arrays,
            opening: 8,
            moves: Vec::new(),
            scores: Vec::new(),
            outcome: [Outcome::Loss, Outcome::Draw, Outcome::Win][random(3)],
        };
        for ply in 0..150 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                game.opening = game.opening.min(ply as u8);
                break;
            }
            let mv = moves[random(moves.len())];
            if ply >= 8 {
                game.scores.push([0, -32_000, 32_000, 17, i16::MIN, i16::MAX][random(6)]);
            }
            game.moves.push(mv);
            position.play(mv);
        }
        game
    }

    #[test]
    fn games_are_read_as_they_were_written() {
        let games: Vec<SelfGame> = (0..12).map(random_game).collect();
        assert_eq!(decode(&encode(&games), games.len()).unwrap(), games);
    }

    #[test]
    fn a_torn_block_ends_the_file_before_it() {
        let games: Vec<SelfGame> = (0..2).map(random_game).collect();
        let mut file = Vec::new();
        write_header(&mut file, "{}").unwrap();
        write_block(&mut file, &games).unwrap();
        let sound = file.len();
        write_block(&mut file, &games).unwrap();
        for cut in [sound, sound + 7, file.len() - 1] {
            let mut reader = BlockReader::new(&file[..cut]).unwrap();
            assert_eq!(reader.next_block().unwrap().unwrap().decode().unwrap(), games);
            assert!(reader.next_block().unwrap().is_none());
            assert_eq!(reader.sound, sound as u64);
        }
    }

    #[test]
    fn a_file_of_another_kind_is_refused_with_the_reason() {
        let refused = |bytes: &[u8]| BlockReader::new(bytes).unwrap_err().to_string();
        for other in [b"".as_slice(), b"tgself", b"a text of another kind"] {
            assert!(refused(other).contains("no file of self-play games"));
        }
        let mut file = Vec::new();
        write_header(&mut file, "{}").unwrap();
        assert!(refused(&file[..file.len() - 1]).contains("cut short"));
    }

    #[test]
    fn noise_is_refused_or_read_as_legal_games_but_never_panics() {
        let mut bytes = encode(&[random_game(5)]);
        for i in 0..bytes.len() {
            bytes[i] ^= 0x55;
            let _ = decode(&bytes, 1);
        }
    }

    #[test]
    fn folding_is_reversible() {
        for value in [0, 1, -1, 64_000, -65_535] {
            assert_eq!(unfold(fold(value)), value);
        }
    }

    #[test]
    fn a_capture_of_an_unguarded_piece_is_the_likeliest_move() {
        let position = Position::from_fen("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1").unwrap();
        assert_eq!(position.move_text(ordered_moves(&position)[0], false), "e4d5");
    }
}

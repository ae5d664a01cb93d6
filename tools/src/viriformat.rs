//! Writes games in viriformat, the interchange format of C. Martin's Viridithas (crate
//! `viriformat`, `dataformat.rs`): a packed start position of 32 bytes, four bytes a move, four
//! zero bytes at the end.

use std::io::{self, Write};

use tegenspel::chess::{Color, Move, PieceKind, Position, Wing};

use crate::format::SelfGame;

/// Writes a game, beginning behind its random moves.
///
/// # Errors
/// If the output does not take it.
pub fn write(output: &mut impl Write, game: &SelfGame) -> io::Result<()> {
    let mut position = game.start();
    let (opening, rest) = game.moves.split_at(game.opening.into());
    for &mv in opening {
        position.play(mv);
    }
    output.write_all(&pack(&position, game.outcome.half_points() as u8))?;
    for (&mv, score) in rest.iter().zip(&game.scores) {
        output.write_all(&move_bits(mv).to_le_bytes())?;
        output.write_all(&score.to_le_bytes())?;
    }
    output.write_all(&[0; 4])
}

/// Occupied squares; a nibble for each man, rooks that may castle as kind 6; side to move and en
/// passant square; clocks; score 0; result; one spare byte.
fn pack(position: &Position, result: u8) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&position.occupied().0.to_le_bytes());
    let unmoved = |square, color| {
        let rights = position.castling();
        Wing::ALL.iter().any(|&wing| rights.rook(color, wing) == Some(square))
    };
    for (i, square) in position.occupied().into_iter().enumerate() {
        let Some(piece) = position.piece_on(square) else { continue };
        let castles = piece.kind() == PieceKind::Rook && unmoved(square, piece.color());
        let kind = if castles { 6 } else { piece.kind().index() as u8 };
        let nibble = kind | (piece.color().index() as u8) << 3;
        bytes[8 + i / 2] |= nibble << (4 * (i % 2));
    }
    let black = position.side_to_move() == Color::Black;
    let en_passant = position.en_passant().map_or(64, |square| square.index() as u8);
    bytes[24] = u8::from(black) << 7 | en_passant;
    bytes[25] = position.halfmove_clock().min(255) as u8;
    let number = position.fullmove_number().min(u16::MAX.into()) as u16;
    bytes[26..28].copy_from_slice(&number.to_le_bytes());
    bytes[30] = result;
    bytes
}

/// From, to, promotion from the knight on, and flags: 1 en passant, 2 castling (the king takes his
/// rook), 3 promotion.
fn move_bits(mv: Move) -> u16 {
    let squares = mv.from().index() as u16 | (mv.to().index() as u16) << 6;
    let promotion = mv.promotion().map_or(0, |kind| kind.index() as u16 - 1);
    let flag = if mv.promotion().is_some() {
        3
    } else if mv.is_castle() {
        2
    } else {
        u16::from(mv.is_en_passant())
    };
    squares | promotion << 12 | flag << 14
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{elo::Outcome, format::USUAL_ARRAY};

    /// Flags in the two highest bits, the promotion in the two below.
    #[test]
    fn castling_en_passant_and_promotions_have_flags() {
        let bits = |fen: &str, text: &str| {
            move_bits(Position::from_fen(fen).unwrap().parse_move(text).unwrap())
        };
        let castling = bits("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1");
        assert_eq!((castling >> 12, castling >> 6 & 63), (0b1000, 7), "the king takes his rook");
        assert_eq!(bits("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6") >> 12, 0b0100);
        let promotion = |text: &str| bits("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", text) >> 12;
        assert_eq!(["a7a8n", "a7a8q"].map(promotion), [0b1100, 0b1111]);
    }

    #[test]
    fn a_game_takes_36_bytes_and_four_a_move() {
        let mv = |text: &str| Position::start().parse_move(text).unwrap();
        let game = SelfGame {
            arrays: [USUAL_ARRAY; 2],
            opening: 0,
            moves: vec![mv("e2e4")],
            scores: vec![-2],
            outcome: Outcome::Draw,
        };
        let mut bytes = Vec::new();
        write(&mut bytes, &game).unwrap();
        assert_eq!(bytes.len(), 40);
        assert_eq!(bytes[..8], 0xFFFF_0000_0000_FFFF_u64.to_le_bytes());
        assert_eq!(bytes[8], 0x16, "a1 an unmoved rook, b1 a knight");
        assert_eq!(bytes[24], 64, "White to move, no en passant");
        assert_eq!((bytes[26], bytes[30]), (1, 1));
        assert_eq!(bytes[32..36], [0x0C, 0x07, 0xFE, 0xFF]);
        assert_eq!(bytes[36..], [0; 4]);
    }
}

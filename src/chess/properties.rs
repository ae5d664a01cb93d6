//! What must hold in every position, checked along random games.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng, rngs::SmallRng};

use super::*;

/// Starts of random games: standard, tactical, Chess960 with rooks and kings in odd places, and
/// with pawns about to promote.
const STARTS: [&str; 8] = [
    fen::START_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "qrkrnbbn/pppppppp/8/8/8/8/PPPPPPPP/QRKRNBBN w DBdb - 0 1",
    "rk2b1nr/pp1ppppp/8/2p5/8/2P5/PP1PPPPP/RK2B1NR w HAha - 0 1",
    "1r4kr/pppp1ppp/8/8/8/8/PPPP1PPP/1R4KR b HBhb - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
];

/// Plays `games` random games of at most 120 moves and shows every position.
fn random_games(games: usize, mut look: impl FnMut(&Position, &mut SmallRng)) {
    let mut rng = SmallRng::seed_from_u64(20);
    for game in 0..games {
        let mut position = Position::from_fen(STARTS[game % STARTS.len()]).unwrap();
        for _ in 0..120 {
            look(&position, &mut rng);
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[rng.random_range(0..moves.len())]);
        }
    }
}

#[test]
fn what_moves_keep_up_to_date_is_what_a_fresh_look_finds() {
    random_games(160, |position, _| {
        let fresh = Position::from_fen(&position.to_fen(true)).unwrap();
        // Equality takes in the board, the clocks and all seven keys.
        assert_eq!(*position, fresh);
        assert_eq!(position.checkers(), fresh.checkers());
        for color in Color::ALL {
            assert_eq!(position.pinned(color), fresh.pinned(color), "{position}");
            assert_eq!(position.by_color(color), fresh.by_color(color));
        }
        for kind in PieceKind::ALL {
            assert_eq!(position.pieces(kind), fresh.pieces(kind));
        }
    });
}

#[test]
fn a_fen_read_and_written_is_the_same_in_both_notations() {
    random_games(40, |position, _| {
        for fen in [position.to_fen(true), position.to_string()] {
            let read = Position::from_fen(&fen).unwrap();
            assert_eq!(read, *position);
            assert_eq!(read.to_fen(true), position.to_fen(true));
        }
    });
}

#[test]
fn noisy_and_quiet_moves_are_the_legal_moves_each_once() {
    random_games(80, |position, _| {
        let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
        position.noisy_moves(&mut noisy);
        position.quiet_moves(&mut quiet);
        assert!(noisy.iter().all(|mv| mv.is_noisy()), "{position}");
        assert!(quiet.iter().all(|mv| mv.is_quiet()), "{position}");
        let parts: HashSet<Move> = noisy.iter().chain(&*quiet).copied().collect();
        let all: HashSet<Move> = position.legal_moves().into_iter().collect();
        assert_eq!(parts, all, "{position}");
        assert_eq!(noisy.len() + quiet.len(), all.len(), "{position}");
        assert_eq!(position.count_legal_moves(), all.len() as u64, "{position}");
    });
}

/// A transposition table may hand a move of another position to this one.
#[test]
fn any_sixteen_bits_are_legal_exactly_if_they_are_in_the_list() {
    random_games(24, |position, rng| {
        let legal = position.legal_moves();
        let judge = |bits| {
            if let Some(mv) = Move::from_raw(bits) {
                assert_eq!(position.is_legal(mv), legal.contains(&mv), "{mv:?} in {position}");
            }
        };
        for &mv in &legal {
            // The move itself, and all that differ from it in the kind.
            (0..16).for_each(|kind| judge(mv.raw() & 0xFFF | kind << 12));
        }
        for _ in 0..100 {
            judge(rng.random());
        }
    });
}

/// FIDE 3.9: against trying every step of every piece and looking whether the king stands attacked.
#[test]
fn no_legal_move_leaves_the_king_attacked_and_none_is_forgotten() {
    random_games(8, |position, _| {
        let us = position.side_to_move();
        let mut count = 0;
        for mv in (0..=u16::MAX).filter_map(Move::from_raw) {
            let is_ordinary = matches!(mv.kind(), MoveKind::Quiet | MoveKind::Capture);
            let Some(piece) = position.piece_on(mv.from()).filter(|piece| piece.color() == us)
            else {
                continue;
            };
            let enemy = position.by_color(!us).contains(mv.to());
            let reach = position::piece_attacks(piece.kind(), mv.from(), position.occupied());
            if !is_ordinary
                || piece.kind() == PieceKind::Pawn
                || enemy != mv.is_capture()
                || !(reach - position.by_color(us)).contains(mv.to())
            {
                continue;
            }
            let mut child = position.clone();
            child.play(mv);
            let is_safe = !child.is_attacked(child.king(us), !us);
            assert_eq!(position.is_legal(mv), is_safe, "{mv:?} in {position}");
            count += usize::from(is_safe);
        }
        let ordinary = position
            .legal_moves()
            .into_iter()
            .filter(|&mv| !mv.is_castle() && position.moved(mv).kind() != PieceKind::Pawn);
        assert_eq!(ordinary.count(), count, "{position}");
    });
}

#[test]
fn a_move_that_is_said_to_give_check_gives_check() {
    random_games(120, |position, _| {
        for mv in position.legal_moves() {
            let mut child = position.clone();
            child.play(mv);
            assert_eq!(position.gives_check(mv), child.in_check(), "{mv:?} in {position}");
        }
    });
}

#[test]
fn text_and_back_is_the_same_move() {
    random_games(40, |position, _| {
        let mut seen = HashSet::new();
        for mv in position.legal_moves() {
            let san = position.san(mv);
            assert_eq!(position.parse_san(&san), Ok(mv), "{san} in {position}");
            let long = position.move_text(mv, true);
            assert_eq!(position.parse_move(&long), Some(mv), "{long} in {position}");
            assert_eq!(position.parse_move(&long.to_uppercase()), Some(mv));
            assert!(seen.insert(san), "two moves are written alike in {position}");
        }
    });
}

/// The key foreseen is the key reached unless castling rights or en passant change.
#[test]
fn a_quiet_move_of_a_piece_has_the_key_that_was_foreseen() {
    random_games(16, |position, _| {
        for mv in position.legal_moves() {
            let mut child = position.clone();
            child.play(mv);
            let plain = matches!(mv.kind(), MoveKind::Quiet | MoveKind::Capture);
            if plain && child.castling() == position.castling() {
                assert_eq!(position.key_after(mv), child.key(), "{mv:?} in {position}");
            }
        }
    });
}

#[test]
fn passing_changes_the_side_and_nothing_on_the_board() {
    random_games(40, |position, _| {
        if position.in_check() {
            return;
        }
        let mut passed = position.clone();
        passed.play_null();
        assert_eq!(passed.side_to_move(), !position.side_to_move());
        assert_ne!(passed.key(), position.key());
        assert_eq!(passed.en_passant(), None);
        let fresh = Position::from_fen(&passed.to_fen(true)).unwrap();
        assert_eq!(passed, fresh);
        assert_eq!(passed.pinned(passed.side_to_move()), fresh.pinned(fresh.side_to_move()));
    });
}

#[test]
fn attacks_by_kind_add_up_to_the_attacked_squares() {
    random_games(16, |position, _| {
        for color in Color::ALL {
            let all = PieceKind::ALL
                .into_iter()
                .fold(Bitboard::EMPTY, |all, kind| all | position.attacks_by(color, kind));
            for square in Square::all() {
                let attackers = position.attackers_to(square, position.occupied());
                let attacked = (attackers & position.by_color(color)).any();
                assert_eq!(all.contains(square), attacked, "{square} in {position}");
                assert_eq!(position.is_attacked(square, color), attacked);
            }
        }
    });
}

/// A key stands for one position: among random ones no two with the same key differ.
#[test]
fn different_positions_have_different_keys() {
    let mut seen = std::collections::HashMap::new();
    random_games(160, |position, _| {
        let fen = position.to_fen(true);
        let core = fen.rsplitn(3, ' ').last().unwrap_or_default().to_owned();
        let earlier = seen.entry(position.key()).or_insert_with(|| core.clone());
        assert_eq!(*earlier, core);
    });
}

/// The exchange by its definition: `side` takes on `to` with its least valuable piece if that pays,
/// the king only where nothing defends. Every step looks for attackers afresh.
fn reply(position: &Position, to: Square, side: Color, victim: PieceKind, board: Bitboard) -> i32 {
    let attackers = position.attackers_to(to, board) & board;
    let ours = attackers & position.by_color(side);
    let least = PieceKind::ALL
        .into_iter()
        .find_map(|kind| Some((kind, (ours & position.pieces(kind)).first()?)));
    let Some((kind, from)) = least else { return 0 };
    let board = board.without(from);
    let defenders = position.attackers_to(to, board) & board & position.by_color(!side);
    if kind == PieceKind::King && defenders.any() {
        return 0;
    }
    let gain = see::SEE_VALUES[victim.index()] - reply(position, to, !side, kind, board);
    gain.max(0)
}

#[test]
fn static_exchange_finds_what_taking_or_not_is_worth() {
    random_games(40, |position, _| {
        for mv in position.legal_moves() {
            let value = |kind: PieceKind| see::SEE_VALUES[kind.index()];
            let (from, to) = (mv.from(), mv.to());
            let mut board = position.occupied().without(from).with(to);
            if mv.is_en_passant() {
                board = board.without(Square::at(to.file(), from.rank()));
            }
            let placed = mv.promotion().unwrap_or(position.moved(mv).kind());
            let expected = if mv.is_castle() {
                0
            } else {
                position.captured(mv).map_or(0, value)
                    + mv.promotion().map_or(0, |kind| value(kind) - value(PieceKind::Pawn))
                    - reply(position, to, !position.side_to_move(), placed, board)
            };
            assert!(position.see_ge(mv, expected), "{mv:?} {expected} in {position}");
            assert!(!position.see_ge(mv, expected + 1), "{mv:?} {expected} in {position}");
        }
    });
}

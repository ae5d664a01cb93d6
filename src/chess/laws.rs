//! The laws of chess (FIDE, 2023), article by article, and how positions and moves are written.

use super::*;

fn read(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// The legal moves of a position, as UCI writes them, in order.
fn moves(fen: &str) -> Vec<String> {
    let position = read(fen);
    let mut moves: Vec<String> =
        position.legal_moves().iter().map(|&mv| position.move_text(mv, false)).collect();
    moves.sort();
    moves
}

fn has(fen: &str, mv: &str) -> bool {
    moves(fen).iter().any(|legal| legal == mv)
}

fn after(fen: &str, line: &str) -> Position {
    let mut record = Record::new(read(fen));
    play(&mut record, line);
    record.position().clone()
}

fn play(record: &mut Record, line: &str) {
    for text in line.split_whitespace() {
        let mv = record.position().parse_move(text);
        record.push(mv.unwrap_or_else(|| panic!("{text} in {}", record.position())));
    }
}

/// FIDE 3.7.2.
#[test]
fn a_pawn_moves_two_squares_only_from_its_first_rank_and_only_over_empty_squares() {
    assert_eq!(moves("k7/8/8/8/8/4P3/P7/K7 w - - 0 1"), ["a1b1", "a1b2", "a2a3", "a2a4", "e3e4"]);
    assert!(!has("k7/8/8/8/8/n7/P7/K7 w - - 0 1", "a2a4"));
    assert!(!has("k7/8/8/8/n7/8/P7/K7 w - - 0 1", "a2a4"));
}

/// FIDE 3.7.4.1: "may only be made immediately after".
#[test]
fn en_passant_is_open_for_one_move_only() {
    let start = "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1";
    let position = after(start, "e2e4");
    assert_eq!(position.en_passant(), Some("e3".parse().unwrap()));
    assert!(position.parse_move("d4e3").is_some_and(Move::is_en_passant));
    let later = after(start, "e2e4 e8e7 e1e2");
    assert_eq!(later.en_passant(), None);
    assert_eq!(later.parse_move("d4e3"), None);
    let taken = after(start, "e2e4 d4e3");
    assert_eq!(taken.to_string(), "4k3/8/8/8/8/4p3/8/4K3 w - - 0 2");
}

/// FIDE 3.7.4 with 3.9.2: no move may leave one's own king attacked, not even en passant.
#[test]
fn en_passant_that_uncovers_an_attack_on_the_king_is_illegal() {
    // Along the rank, both pawns gone at once; along the file; along a diagonal.
    assert!(!has("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", "e4d3"));
    assert!(!has("4r3/5k2/8/4Pp2/8/8/8/4K3 w - f6 0 29", "e5f6"));
    assert!(!has("7k/8/8/8/3Pp3/8/8/B2K4 b - d3 0 1", "e4d3"));
    assert!(has("8/8/8/r2Pp2K/8/8/4k3/8 w - e6 0 1", "h5g5"));
}

/// FIDE 3.9.1: a check by the pawn that has just moved may be ended by taking it in passing.
#[test]
fn en_passant_may_end_a_check() {
    assert!(has("8/8/8/2k5/2pP4/8/4K3/8 b - d3 0 1", "c4d3"));
}

/// FIDE 3.7.3.3 to 3.7.3.5.
#[test]
fn a_pawn_on_the_last_rank_becomes_one_of_four_pieces() {
    let legal = moves("1r2k3/P7/8/8/8/8/8/K7 w - - 0 1");
    let promotions: Vec<_> = legal.iter().filter(|mv| mv.starts_with("a7")).collect();
    assert_eq!(
        promotions,
        ["a7a8b", "a7a8n", "a7a8q", "a7a8r", "a7b8b", "a7b8n", "a7b8q", "a7b8r"]
    );
    let promoted = after("1r2k3/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8n");
    assert_eq!(promoted.to_string(), "1N2k3/8/8/8/8/8/8/K7 b - - 0 1");
}

/// FIDE 3.8.2.
#[test]
fn castling_takes_king_and_rook_to_their_squares() {
    let start = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 7";
    let expected = "r4rk1/8/8/8/8/8/8/2KR3R w - - 5 8";
    assert_eq!(after(start, "e1c1 e8g8").to_string(), expected);
    // The same moves as Chess960 writes them: the king takes his rook.
    assert_eq!(after(start, "e1a1 e8h8").to_string(), expected);
}

/// FIDE 3.8.2.1.
#[test]
fn the_right_to_castle_is_lost_with_a_move_of_king_or_rook_or_the_loss_of_the_rook() {
    let start = "r3k2r/8/8/8/8/8/6B1/R3K2R w KQkq - 0 1";
    assert_eq!(after(start, "e1e2").to_fen(false).split(' ').nth(2), Some("kq"));
    assert_eq!(after(start, "h1h2").to_fen(false).split(' ').nth(2), Some("Qkq"));
    assert_eq!(after(start, "g2a8").to_fen(false).split(' ').nth(2), Some("KQk"));
    assert_eq!(after(start, "a1a8").to_fen(false).split(' ').nth(2), Some("Kk"));
    assert_eq!(after(start, "h1h2 e8e7 h2h1 e7e8").castling().bits(), 0b0010);
}

/// FIDE 3.8.2.2: not out of check, not through an attacked square, not into one; but the rook may
/// be attacked, and on the queen's wing the square next to it.
#[test]
fn castling_is_prevented_by_attacks_on_the_kings_way_alone() {
    let with = |piece: &str| format!("4k3/8/8/8/8/{piece}/8/R3K2R w KQ - 0 1");
    let wings = |fen: &str| (has(fen, "e1g1"), has(fen, "e1c1"));
    assert_eq!(wings(&with("8")), (true, true));
    assert_eq!(wings(&with("4r3")), (false, false));
    assert_eq!(wings(&with("5r2")), (false, true));
    assert_eq!(wings(&with("6r1")), (false, true));
    assert_eq!(wings(&with("7r")), (true, true));
    assert_eq!(wings(&with("3r4")), (true, false));
    assert_eq!(wings(&with("2r5")), (true, false));
    assert_eq!(wings(&with("1r6")), (true, true));
    assert_eq!(wings("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1"), (true, false));
}

/// FIDE Guidelines II.3: king and rook may stand in each other's way; the rook may shield.
#[test]
fn castling_in_chess960_asks_for_all_squares_between_but_for_king_and_rook() {
    let castles = |fen: &str| {
        let position = read(fen);
        position.legal_moves().iter().filter(|mv| mv.is_castle()).count()
    };
    // The king stays, the rook leaps over him; then the same with a queen behind the rook.
    assert_eq!(castles("4k3/8/8/8/8/8/8/1RK5 w B - 0 1"), 1);
    assert_eq!(castles("4k3/8/8/8/8/8/8/qRK5 w B - 0 1"), 0);
    assert_eq!(castles("4k3/8/8/8/8/8/8/5RKR w HF - 0 1"), 1);
    let position = after("4k3/8/8/8/8/8/8/1RK5 w B - 0 1", "c1b1");
    assert_eq!(position.to_string(), "4k3/8/8/8/8/8/8/2KR4 b - - 1 1");
}

/// FIDE 3.9.1 and 5.1.1: check is met by moving the king, taking the checker, or standing between.
#[test]
fn in_check_there_are_only_moves_that_end_it() {
    let interpose = "4k3/8/8/8/4r3/8/1B3P2/3QK2R w K - 0 1";
    assert_eq!(moves(interpose), ["d1e2", "e1d2", "e1f1"]);
    let capture = "4k3/8/8/8/4r3/2N5/5P2/4K3 w - - 0 1";
    assert_eq!(moves(capture), ["c3e2", "c3e4", "e1d1", "e1d2", "e1f1"]);
}

/// FIDE 3.9: of two checkers only one could be taken, so the king has to move.
#[test]
fn in_double_check_only_the_king_moves() {
    let legal = moves("4k3/8/5N2/8/8/8/1q6/4R2K b - - 0 1");
    assert!(!legal.is_empty());
    assert!(legal.iter().all(|mv| mv.starts_with("e8")), "{legal:?}");
}

/// FIDE 5.1.1 and 5.2.1.
#[test]
fn without_a_legal_move_it_is_mate_in_check_and_stalemate_else() {
    let mate = Record::new(read("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"));
    assert!(mate.is_checkmate() && !mate.is_stalemate());
    let stalemate = Record::new(read("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"));
    assert!(stalemate.is_stalemate() && !stalemate.is_checkmate());
    let neither = Record::new(Position::start());
    assert!(!neither.is_stalemate() && !neither.is_checkmate());
}

/// FIDE 5.2.2.
#[test]
fn a_position_without_mating_material_is_dead() {
    let dead = |board: &str| read(&format!("{board} w - - 0 1")).has_insufficient_material();
    assert!(dead("8/8/4k3/8/8/3K4/8/8"));
    assert!(dead("8/8/4k3/8/8/3KN3/8/8"));
    assert!(dead("8/8/4k3/8/8/3KB3/8/8"));
    // Bishops on squares of one colour cannot mate, on both they can.
    assert!(dead("8/8/3bk3/8/8/3KB3/8/8"));
    assert!(!dead("8/8/2b1k3/8/8/3KB3/8/8"));
    assert!(!dead("8/8/3nk3/8/8/3KB3/8/8"));
    assert!(!dead("8/8/4k3/8/8/3KNN2/8/8"));
    assert!(!dead("8/8/4k3/8/8/3KP3/8/8"));
}

/// FIDE 9.2.2: the same player to move, and all moves the same.
#[test]
fn a_position_repeats_only_with_the_same_rights() {
    let mut knights = Record::new(Position::start());
    play(&mut knights, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1");
    assert_eq!(knights.occurrences(), 2);
    play(&mut knights, "f6g8");
    assert!(knights.is_threefold() && !knights.is_fivefold());
    play(&mut knights, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8");
    assert!(knights.is_fivefold());
    // The rooks' first move costs both sides a right to castle.
    let mut rooks = Record::new(read("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"));
    play(&mut rooks, "h1g1 h8g8 g1h1 g8h8 h1g1 h8g8 g1h1 g8h8");
    assert_eq!(rooks.occurrences(), 2);
    // En passant was possible the first time; where it never was, the square does not count.
    let round = "e8e7 h1g3 e7e8 g3h1";
    let mut passing = Record::new(read("4k3/8/8/8/3p4/8/4P3/4K2N w - - 0 1"));
    play(&mut passing, &format!("e2e4 {round} {round}"));
    assert_eq!(passing.occurrences(), 2);
    let mut never = Record::new(read("4k3/8/8/8/8/8/4P3/4K2N w - - 0 1"));
    play(&mut never, &format!("e2e4 {round} {round}"));
    assert_eq!(never.occurrences(), 3);
}

/// FIDE 9.3 and 9.6.2, where mate takes precedence (5.1.1 ends the game at once).
#[test]
fn fifty_moves_are_a_hundred_half_moves_without_capture_or_pawn_move() {
    let mut record = Record::new(read("7k/8/8/8/8/8/1R6/K7 w - - 98 99"));
    play(&mut record, "b2b3");
    assert!(!record.is_fifty_moves());
    play(&mut record, "h8g8");
    assert!(record.is_fifty_moves() && !record.is_seventy_five_moves());
    let mut mate = Record::new(read("7k/8/6K1/8/8/8/8/R7 w - - 99 100"));
    play(&mut mate, "a1a8");
    assert!(mate.is_checkmate() && !mate.is_fifty_moves());
    let capture = after("7k/8/5K2/8/8/8/R6n/8 w - - 99 100", "a2h2");
    assert_eq!(capture.halfmove_clock(), 0);
    assert_eq!(after("7k/8/8/8/8/8/1P6/K7 w - - 99 100", "b2b3").halfmove_clock(), 0);
    assert!(Record::new(read("7k/8/8/8/8/8/1R6/K7 w - - 150 151")).is_seventy_five_moves());
}

#[test]
fn a_record_takes_moves_back() {
    let mut record = Record::new(Position::start());
    play(&mut record, "e2e4 e7e5 g1f3");
    assert!(record.pop() && record.pop());
    assert_eq!(*record.position(), after(fen::START_FEN, "e2e4"));
    assert_eq!(record.moves().len(), 1);
    assert_eq!(record.keys(), [Position::start().key()]);
    assert!(record.pop() && !record.pop());
    assert_eq!(*record.position(), *record.start());
}

/// A game of 6,000 plies: the clock runs on, repetition is still counted.
#[test]
fn a_game_may_last_six_thousand_plies() {
    let mut record = Record::new(Position::start());
    for _ in 0..1500 {
        play(&mut record, "g1f3 g8f6 f3g1 f6g8");
    }
    assert_eq!(record.moves().len(), 6000);
    assert_eq!(record.occurrences(), 1501);
    assert_eq!(record.position().halfmove_clock(), 6000);
    assert_eq!(record.position().fullmove_number(), 3001);
}

/// Nenad Petrovic 1964.
#[test]
fn the_record_position_has_218_moves() {
    assert_eq!(moves("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1").len(), 218);
}

/// FIDE C.10: the file if that tells, else the rank, else both; pinned rivals do not count.
#[test]
fn short_notation_names_as_much_of_the_origin_as_is_needed() {
    let san = |fen: &str, mv: &str| {
        let position = read(fen);
        position.san(position.parse_move(mv).unwrap())
    };
    assert_eq!(san("4k3/8/8/8/8/4K3/8/R6R w - - 0 1", "a1d1"), "Rad1");
    assert_eq!(san("4k3/R7/8/8/8/8/8/R3K3 w - - 0 1", "a1a4"), "R1a4");
    assert_eq!(san("6k1/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1"), "Qh4e1");
    assert_eq!(san("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2"), "Ne2");
    assert_eq!(san("1r2k3/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8q"), "axb8=Q+");
    assert_eq!(san("4k3/8/8/8/3p4/8/4P3/4K2R w K - 0 1", "e1g1"), "O-O");
    assert_eq!(san("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8"), "Ra8#");
}

#[test]
fn short_notation_is_read_with_tolerance() {
    let same = |fen: &str, mv: &str, texts: &str| {
        let position = read(fen);
        let mv = position.parse_move(mv).unwrap();
        for text in texts.split(' ') {
            assert_eq!(position.parse_san(text), Ok(mv), "{text}");
        }
    };
    same("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O 0-0 o-o O-O+ O-O!?");
    same("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "O-O-O 0-0-0");
    same("1r2k3/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8q", "axb8=Q axb8Q axb8=Q+ ab8Q a7xb8=Q");
    same(fen::START_FEN, "g1f3", "Nf3 Ng1f3 Ng1-f3 Ngf3 N1f3 Nf3! Nf3?!");
    same(fen::START_FEN, "e2e4", "e4 e2e4 e2-e4 Pe4");
}

#[test]
fn a_text_that_is_no_move_is_refused_with_the_reason() {
    let position = Position::start();
    let error = |text| position.parse_san(text).unwrap_err().to_string();
    assert_eq!(error("Nf6"), "'Nf6' is not legal here");
    assert_eq!(error("hello"), "'hello' is not a move");
    for text in ["", "N", "x", "é4", "O-O-O-O", "e9", "Ni3", "=Q", "++", "e4=Q", "♘f3", "Nf3f3f3"]
    {
        assert!(position.parse_san(text).is_err(), "{text}");
        assert_eq!(position.parse_move(text), None, "{text}");
    }
    for text in ["e2e5", "e2e4q", "0000", "e2e4 ", "e2é4", "a7a8q", "e1g1", "éé"] {
        assert_eq!(position.parse_move(text), None, "{text}");
    }
    let rooks = read("4k3/8/8/8/8/8/8/R3K2R w - - 0 1");
    assert_eq!(rooks.parse_san("Rd1").unwrap(), rooks.parse_move("a1d1").unwrap());
    let ambiguous = read("4k3/8/8/8/8/8/4K3/R6R w - - 0 1");
    let error = ambiguous.parse_san("Rd1").unwrap_err().to_string();
    assert_eq!(error, "'Rd1' could be several moves");
}

#[test]
fn a_text_that_is_no_position_is_refused_with_the_field_and_the_reason() {
    let start = |tail: &str| format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR {tail}");
    for (fen, reason) in [
        (String::new(), "FEN has 0 fields, not 4 to 6"),
        ("8/8/8/8/8/8/8 w - -".into(), "FEN board has 7 ranks, not 8"),
        ("4k3/8/8/8/8/8/8/4K2 w - -".into(), "FEN board: rank 1 has not 8 squares"),
        ("4k3/9/8/8/8/8/8/4K3 w - -".into(), "FEN board: '9' is no piece"),
        ("4k3/8/8/8/8/8/8/4K4 w - -".into(), "FEN board: rank 1 has not 8 squares"),
        ("4k3/8/8/8/8/8/8/pppppppppK w - -".into(), "FEN board: rank 1 has not 8 squares"),
        (start("x KQkq - 0 1"), "FEN side to move: 'x' is neither w nor b"),
        (start("w KX - 0 1"), "FEN castling rights: cannot read 'KX'"),
        (start("w KQkq e9 0 1"), "FEN en passant: 'e9' is no square"),
        (start("w KQkq - x 1"), "FEN move counter: cannot read 'x'"),
        (start("w KQkq - 0 -1"), "FEN move counter: cannot read '-1'"),
        (start("w KQkq - 0 1 7"), "FEN has 7 fields, not 4 to 6"),
        ("4k3/8/8/8/8/8/8/8 w - -".into(), "FEN board: White has 0 kings"),
        ("k3k3/8/8/8/8/8/8/4K3 w - -".into(), "FEN board: Black has 2 kings"),
        ("4k3/8/8/8/8/8/8/P3K3 w - -".into(), "FEN board: a pawn stands on a1"),
        ("4k3/8/8/8/8/8/8/4RK2 w - -".into(), "FEN: the side that is not to move is in check"),
    ] {
        assert_eq!(Position::from_fen(&fen).unwrap_err().to_string(), reason, "{fen}");
    }
}

/// What a strict reader would refuse, and what stands in tests and databases all the same.
#[test]
fn a_position_that_no_game_reaches_is_taken_if_it_can_be_played() {
    for (fen, count) in [
        ("B6b/8/8/8/2K5/5k2/8/b6B b - - 0 1", 6),
        ("3R4/8/q4k2/2B5/1NK5/3b4/8/8 w - - 0 1", 4),
        ("rnbqkbnr/pppppppp/8/8/8/N2NNNNN/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 24),
        ("qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1", 83),
        ("4k3/8/6r1/8/8/8/2R5/4K3 w - - 369 1", 19),
    ] {
        assert_eq!(moves(fen).len(), count, "{fen}");
    }
}

/// PGN standard 16.1.3.4: rights the pieces' places belie are dropped, not an error.
#[test]
fn castling_rights_without_king_or_rook_at_home_are_dropped() {
    let rights = |fen: &str| read(fen).to_string().split(' ').nth(2).unwrap().to_owned();
    assert_eq!(rights("4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1"), "K");
    assert_eq!(rights("q3kb2/rbpppppr/p1n4p/1p1n4/P4PB1/NP2P3/1RPP2PP/2B1QKNR b kq - 1 1"), "-");
    assert_eq!(rights("r3k2r/8/8/8/8/8/8/R3K2R w qkQK - 0 1"), "KQkq");
    assert_eq!(rights("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"), "KQkq");
}

/// X-FEN (Reinhard Scharnagl): a letter K or Q means the outermost rook, a file letter any.
#[test]
fn an_inner_rook_that_may_castle_is_named_by_its_file() {
    let fen = "rn2k1r1/ppp1pp1p/3p2p1/5bn1/P7/2N2B2/1PPPPP2/2BNK1RR w Gkq - 4 11";
    let position = read(fen);
    assert_eq!(position.to_string(), fen);
    assert_eq!(position.to_fen(true), fen.replace("Gkq", "Gga"));
    assert!(position.is_chess960_setup());
    assert!(!Position::start().is_chess960_setup());
}

#[test]
fn an_en_passant_square_counts_only_if_a_pawn_can_take_there() {
    let square = |fen: &str| read(fen).en_passant().map(|square| square.to_string());
    assert_eq!(
        square("rnbqkbnr/pppp2pp/5p2/3Pp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e6 0 3").as_deref(),
        Some("e6")
    );
    for fen in [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
        "4r3/5p1k/8/4Pp2/8/8/8/4K3 w - f6 0 29",
        "4r3/5p1k/5p2/4Pp2/8/8/8/4K3 w - f6 0 29",
        "7k/8/8/8/8/8/1Pp5/7K w - c3 0 29",
        "4k3/8/8/8/8/8/8/4K3 w - e3 0 1",
    ] {
        assert_eq!(square(fen), None, "{fen}");
    }
    let with = read("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1");
    let without = read("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    assert_eq!(with.key(), without.key());
}

#[test]
fn counters_that_are_missing_or_too_large_are_no_error() {
    let clocks = |tail: &str| {
        let position =
            read(&format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {tail}"));
        (position.halfmove_clock(), position.fullmove_number())
    };
    assert_eq!(clocks(""), (0, 1));
    assert_eq!(clocks("7"), (7, 1));
    assert_eq!(clocks("0 0"), (0, 1));
    assert_eq!(clocks("- -"), (0, 1));
    assert_eq!(clocks("0 99999"), (0, 99999));
    let mut huge = read("8/8/4k3/8/8/4K3/8/8 w - - 99999999999999999999 99999999999999999999");
    for _ in 0..40_000 {
        let mv = huge.legal_moves()[0];
        huge.play(mv);
    }
    assert!(huge.halfmove_clock() >= 150);
}

//! All weights of the evaluation.
//!
//! The table at the end is rewritten as a whole by `tune weights` of the tools, which changes the
//! numbers and the line below, and nothing else.
// Made by: `tune weights`, 573689 positions of 7257 games, k 0.00565, result share 0.7; loss 0.48440.

use super::tapered::Tapered;

/// Every weight, in the order of its number for the tuner.
///
/// Units are centipawns, middlegame and endgame; those of the danger to a king are squared
/// afterwards (see `king.rs`). Ranks are counted from 0, as the pawn's side sees them.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Weights {
    /// A piece of each kind: pawn, knight, bishop, rook, queen.
    pub(super) material: [Tapered; 5],
    /// By kind and square as its side sees it, the e- to h-files mirrored: a1, b1, c1, d1, a2, …
    pub(super) piece_square: [[Tapered; 32]; 6],
    /// Two bishops.
    pub(super) bishop_pair: Tapered,
    /// A knight, for each own pawn above five.
    pub(super) knight_pawns: Tapered,
    /// A rook, for each own pawn above five.
    pub(super) rook_pawns: Tapered,
    /// A second rook, whose tasks the first does already.
    pub(super) rook_pair: Tapered,
    /// By squares that a knight can go to.
    pub(super) knight_mobility: [Tapered; 9],
    /// By squares that a bishop can go to.
    pub(super) bishop_mobility: [Tapered; 14],
    /// By squares that a rook can go to.
    pub(super) rook_mobility: [Tapered; 15],
    /// By squares that a queen can go to.
    pub(super) queen_mobility: [Tapered; 28],
    /// A pawn with another of its side before it on the file.
    pub(super) doubled: Tapered,
    /// A pawn without neighbours, on an open file, and with an enemy pawn before it.
    pub(super) isolated: [Tapered; 2],
    /// A pawn that no neighbour can support and that cannot go on; likewise.
    pub(super) backward: [Tapered; 2],
    /// A pawn beside another, by rank.
    pub(super) phalanx: [Tapered; 8],
    /// A pawn that another guards, by rank.
    pub(super) supported: [Tapered; 8],
    /// A pawn that its neighbours can help past the enemy pawns, by rank.
    pub(super) candidate: [Tapered; 8],
    /// A passed pawn, by rank; so all to `passed_guarded`.
    pub(super) passed: [Tapered; 8],
    /// An enemy piece stands before it.
    pub(super) passed_blocked: [Tapered; 8],
    /// The enemy does not attack the square before it.
    pub(super) passed_safe: [Tapered; 8],
    /// The enemy attacks no square before it, and none stands on one.
    pub(super) passed_free: [Tapered; 8],
    /// Its side guards the square before it.
    pub(super) passed_guarded: [Tapered; 8],
    /// Steps of the own king to the square before it, times its ranks beyond the second.
    pub(super) passed_own_king: Tapered,
    /// Steps of the enemy king to the square before it, likewise.
    pub(super) passed_enemy_king: Tapered,
    /// An own rook or queen behind it.
    pub(super) passed_rook_behind: Tapered,
    /// An enemy rook or queen behind it.
    pub(super) passed_enemy_rook_behind: Tapered,
    /// No enemy piece is left, and the king is outside its square.
    pub(super) passed_unstoppable: Tapered,
    /// A knight in enemy land that a pawn guards and no pawn can chase away.
    pub(super) knight_outpost: Tapered,
    /// A bishop there.
    pub(super) bishop_outpost: Tapered,
    /// A knight that can reach such a square.
    pub(super) knight_reaches_outpost: Tapered,
    /// A minor piece right behind a pawn.
    pub(super) minor_behind_pawn: Tapered,
    /// A step between a minor piece and its king.
    pub(super) minor_king_distance: Tapered,
    /// A pawn of its side on the colour of a bishop's squares.
    pub(super) bishop_pawn: Tapered,
    /// Such a pawn that cannot move.
    pub(super) bishop_rammed_pawn: Tapered,
    /// A bishop that sees both of its centre squares through all but pawns.
    pub(super) long_diagonal: Tapered,
    /// A rook on a file without pawns.
    pub(super) rook_open: Tapered,
    /// A rook on a file without own pawns.
    pub(super) rook_half_open: Tapered,
    /// A rook behind an own pawn that cannot move.
    pub(super) rook_closed: Tapered,
    /// A rook on the seventh, with enemy pawns there or the king behind.
    pub(super) rook_seventh: Tapered,
    /// A rook shut in by its king; twice when he may not castle.
    pub(super) rook_trapped: Tapered,
    /// A queen that could be uncovered by one move of what stands between it and a slider.
    pub(super) queen_exposed: Tapered,
    /// Shelter, by the file's distance from the edge and the rank of the own pawn, 0 if none.
    pub(super) shelter: [[Tapered; 8]; 4],
    /// Storm, by the file's distance from the edge and the rank of the enemy pawn, 0 if none.
    pub(super) storm: [[Tapered; 8]; 4],
    /// A storming pawn that is blocked, by rank.
    pub(super) storm_blocked: [Tapered; 8],
    /// No pawn of either side on the king's flank.
    pub(super) king_pawnless_flank: Tapered,
    /// A step between king and the nearest pawn.
    pub(super) king_pawn_distance: Tapered,
    /// Danger: a piece that attacks the king's ring, by kind.
    pub(super) danger_attackers: [Tapered; 6],
    /// Danger: so many such pieces.
    pub(super) danger_count: [Tapered; 6],
    /// Danger: an attack on a square beside the king.
    pub(super) danger_hit: Tapered,
    /// Danger: a square of the ring that is attacked and hardly guarded.
    pub(super) danger_weak: Tapered,
    /// Danger: a square from which a piece can give check unharmed, by kind.
    pub(super) danger_check: [Tapered; 6],
    /// Danger: a square from which a check would be met.
    pub(super) danger_unsafe_check: Tapered,
    /// Danger: a piece that shields the king.
    pub(super) danger_pinned: Tapered,
    /// Danger: the enemy has no queen.
    pub(super) danger_no_queen: Tapered,
    /// Danger: a square of the king's flank that is attacked, twice if by two.
    pub(super) danger_flank_attack: Tapered,
    /// Danger: a square of it that is guarded.
    pub(super) danger_flank_guard: Tapered,
    /// Danger: a file beside the king without own pawn.
    pub(super) danger_open_file: Tapered,
    /// Danger: an own pawn beside the king.
    pub(super) danger_shelter_pawn: Tapered,
    /// Danger: a knight that guards the king's surroundings.
    pub(super) danger_knight_guard: Tapered,
    /// Danger: to begin with.
    pub(super) danger_base: Tapered,
    /// A piece attacked by a pawn, by kind.
    pub(super) threat_pawn: [Tapered; 6],
    /// A piece that a pawn may attack by one push.
    pub(super) threat_push: Tapered,
    /// A piece attacked by a minor piece, by kind.
    pub(super) threat_minor: [Tapered; 6],
    /// A piece attacked by a rook, by kind.
    pub(super) threat_rook: [Tapered; 6],
    /// Something weak attacked by the king.
    pub(super) threat_king: Tapered,
    /// Something weak that nothing guards.
    pub(super) hanging: Tapered,
    /// A square that the enemy attacks but cannot well go to.
    pub(super) restricted: Tapered,
    /// A square from which a knight would attack the queen.
    pub(super) knight_on_queen: Tapered,
    /// A square from which a bishop or rook would attack the queen.
    pub(super) slider_on_queen: Tapered,
    /// A safe square in the centre behind the lines, times a 64th of the square of the pieces.
    pub(super) space: Tapered,
    /// The right to move.
    pub(super) tempo: Tapered,
    /// Winnable: to begin with.
    pub(super) winnable_base: Tapered,
    /// Winnable: a passed pawn.
    pub(super) winnable_passed: Tapered,
    /// Winnable: a pawn.
    pub(super) winnable_pawn: Tapered,
    /// Winnable: how far the kings are past each other.
    pub(super) winnable_outflanking: Tapered,
    /// Winnable: pawns on both flanks.
    pub(super) winnable_both_flanks: Tapered,
    /// Winnable: a king in enemy land.
    pub(super) winnable_infiltration: Tapered,
    /// Winnable: nothing but pawns is left.
    pub(super) winnable_pawn_ending: Tapered,
}

const fn s(mg: i32, eg: i32) -> Tapered {
    Tapered::new(mg, eg)
}

/// The weights the engine plays with.
#[rustfmt::skip]
pub(super) static WEIGHTS: Weights = Weights {
    material: [
        s(   68,  113), s(  331,  329), s(  343,  341), s(  485,  570),
        s( 1020, 1030),
    ],
    piece_square: [
        [
            s(    0,    0), s(    0,    0), s(    0,    0), s(    0,    0),
            s(    0,    0), s(   11,    0), s(   -2,   -4), s(    8,    0),
            s(    4,   -3), s(    9,   -3), s(    5,   -2), s(   14,  -10),
            s(   -1,    7), s(    3,    7), s(   11,    1), s(   23,   -5),
            s(    3,   15), s(   12,    5), s(   14,    9), s(   32,    5),
            s(   27,   19), s(   18,   17), s(   25,   19), s(   37,   18),
            s(   29,   22), s(   34,   30), s(   34,   33), s(   52,   29),
            s(    0,    0), s(    0,    0), s(    0,    0), s(    0,    0),
        ],
        [
            s(  -24,  -19), s(  -20,  -13), s(  -20,   -5), s(   -9,   -3),
            s(  -20,  -13), s(  -15,   -8), s(   -3,   -4), s(    4,   14),
            s(  -10,   -7), s(   -2,   -2), s(    2,   -3), s(   -7,    7),
            s(   -3,   -5), s(    0,    2), s(    7,    9), s(   10,   13),
            s(   -4,   -2), s(    3,    2), s(   11,    7), s(   16,   18),
            s(   -4,   -6), s(    2,   -1), s(    4,   -1), s(   12,    7),
            s(  -12,  -14), s(   -3,   -7), s(    2,   -4), s(    8,    3),
            s(  -15,  -18), s(   -8,  -12), s(   -3,   -8), s(    4,   -2),
        ],
        [
            s(  -14,   -6), s(  -13,   -6), s(   -7,    4), s(   -9,    1),
            s(   -8,   -3), s(    2,   -3), s(    1,    2), s(   -1,    1),
            s(   -1,   -4), s(    5,    3), s(    1,   -2), s(    6,   11),
            s(    6,    4), s(    0,    1), s(   13,    6), s(   11,    8),
            s(   -4,   -4), s(    6,    5), s(    6,    5), s(    6,    3),
            s(    0,   -3), s(    2,    0), s(    1,    2), s(    5,    0),
            s(   -5,   -5), s(   -3,   -1), s(    3,    1), s(    4,    2),
            s(  -10,   -7), s(   -6,   -4), s(   -4,   -2), s(    1,    2),
        ],
        [
            s(   -6,   -1), s(   -1,  -10), s(    4,   -7), s(    3,   -6),
            s(   -5,   -3), s(    2,   -4), s(    3,   -2), s(    8,    1),
            s(  -12,    1), s(    0,    0), s(    1,    0), s(    0,   -3),
            s(   -7,    3), s(   -3,    3), s(    1,    1), s(    3,    4),
            s(   -1,    4), s(    1,    6), s(    3,    0), s(    5,    2),
            s(   -8,    4), s(   -3,    6), s(    2,    4), s(    7,    4),
            s(   -2,   11), s(    3,    7), s(    7,    6), s(   11,    7),
            s(   -5,    4), s(   -3,    5), s(    3,    4), s(    7,    8),
        ],
        [
            s(   -7,  -13), s(   -3,   -8), s(   -2,   -5), s(   -3,   -4),
            s(   -6,   -7), s(   -6,   -4), s(    2,    1), s(    4,    5),
            s(   -2,   -3), s(   10,    3), s(    2,    5), s(    2,   10),
            s(   -7,    0), s(   -4,    5), s(   -3,    8), s(   -4,   12),
            s(   -8,    1), s(   -5,    5), s(   -8,    6), s(   -3,   13),
            s(   -7,   -3), s(   -8,    0), s(   -6,    5), s(   -7,    7),
            s(  -12,   -8), s(  -10,   -2), s(  -11,    0), s(   -8,    4),
            s(  -13,  -11), s(  -15,   -7), s(  -10,   -3), s(  -13,    0),
        ],
        [
            s(    8,  -35), s(   17,  -20), s(    2,  -13), s(  -10,   -1),
            s(  -19,  -21), s(  -19,  -12), s(  -29,    1), s(  -32,    5),
            s(  -36,  -11), s(  -36,   -1), s(  -42,    5), s(  -47,   13),
            s(  -53,   -2), s(  -56,    5), s(  -60,   14), s(  -64,   22),
            s(  -71,   -1), s(  -76,    6), s(  -79,   14), s(  -82,   23),
            s(  -90,  -13), s(  -92,   -1), s(  -96,    7), s(  -99,   16),
            s( -108,  -21), s( -111,  -11), s( -114,   -2), s( -117,    8),
            s( -126,  -30), s( -129,  -23), s( -132,  -11), s( -135,   -3),
        ],
    ],
    bishop_pair: s(   36,   52),
    knight_pawns: s(    3,    1),
    rook_pawns: s(    0,   -9),
    rook_pair: s(  -15,  -15),
    knight_mobility: [
        s(  -36,  -61), s(  -21,  -33), s(  -11,  -20), s(   -5,   -9),
        s(    1,    0), s(    6,   10), s(   14,   13), s(   20,   20),
        s(   21,   22),
    ],
    bishop_mobility: [
        s(  -25,  -49), s(  -19,  -23), s(   -4,   -9), s(    1,    1),
        s(   11,    6), s(   12,   14), s(   15,   25), s(   13,   32),
        s(   20,   33), s(   25,   37), s(   32,   49), s(   33,   46),
        s(   40,   52), s(   43,   57),
    ],
    rook_mobility: [
        s(  -35,  -67), s(  -21,  -28), s(   -7,  -10), s(   -4,   -4), s(   -4,    8),
        s(    0,   18), s(    3,   23), s(    5,   33), s(    7,   37), s(    8,   48),
        s(   13,   52), s(   11,   61), s(   13,   62), s(   16,   69), s(   20,   67),
    ],
    queen_mobility: [
        s(  -30,  -50), s(  -18,  -25), s(  -11,  -15), s(   -8,   -7),
        s(   -4,   -1), s(    0,    6), s(    6,   10), s(    6,   16),
        s(   10,   21), s(   10,   26), s(   13,   29), s(   18,   34),
        s(   21,   40), s(   21,   43), s(   19,   44), s(   24,   51),
        s(   24,   53), s(   26,   56), s(   27,   58), s(   28,   60),
        s(   28,   61), s(   28,   62), s(   32,   66), s(   32,   68),
        s(   33,   71), s(   35,   72), s(   37,   78), s(   38,   79),
    ],
    doubled: s(    0,  -22),
    isolated: [
        s(  -14,   -8), s(    4,   -9),
    ],
    backward: [
        s(  -15,  -13), s(    2,  -10),
    ],
    phalanx: [
        s(    0,    0), s(    8,    4), s(    4,    4), s(    7,   12),
        s(   17,   20), s(   60,   69), s(  100,  120), s(    0,    0),
    ],
    supported: [
        s(    0,    0), s(    0,    0), s(   15,    9), s(    6,    3),
        s(   15,   17), s(   31,   39), s(   81,   83), s(    0,    0),
    ],
    candidate: [
        s(    0,    0), s(   -2,    3), s(   -1,    9), s(    1,   18),
        s(   14,   33), s(   36,   60), s(    0,    0), s(    0,    0),
    ],
    passed: [
        s(    0,    0), s(    1,   15), s(   -2,   15), s(    2,   30),
        s(   23,   58), s(   57,  102), s(  112,  168), s(    0,    0),
    ],
    passed_blocked: [
        s(    0,    0), s(    0,   -2), s(   -7,   -7), s(   -7,  -16),
        s(   -4,  -26), s(  -20,  -49), s(  -35, -105), s(    0,    0),
    ],
    passed_safe: [
        s(    0,    0), s(    1,    5), s(    0,    4), s(   -3,   12),
        s(    3,   23), s(   12,   36), s(   20,   57), s(    0,    0),
    ],
    passed_free: [
        s(    0,    0), s(    0,    4), s(    0,    8), s(    1,   12),
        s(    8,   27), s(   17,   47), s(   26,   77), s(    0,    0),
    ],
    passed_guarded: [
        s(    0,    0), s(    2,    5), s(    2,    4), s(    1,    8),
        s(   12,   13), s(   15,   24), s(   23,   43), s(    0,    0),
    ],
    passed_own_king: s(   -2,   -6),
    passed_enemy_king: s(    0,   11),
    passed_rook_behind: s(   10,   11),
    passed_enemy_rook_behind: s(   -8,  -23),
    passed_unstoppable: s(  200,  420),
    knight_outpost: s(   30,   20),
    bishop_outpost: s(   27,   10),
    knight_reaches_outpost: s(   17,   14),
    minor_behind_pawn: s(    5,   11),
    minor_king_distance: s(   -1,    2),
    bishop_pawn: s(   -4,    1),
    bishop_rammed_pawn: s(   -5,    1),
    long_diagonal: s(   15,    4),
    rook_open: s(   19,   11),
    rook_half_open: s(   11,    4),
    rook_closed: s(   -4,   -2),
    rook_seventh: s(    5,   19),
    rook_trapped: s(  -11,   -3),
    queen_exposed: s(  -19,   -6),
    shelter: [
        [
            s(  -13,   12), s(   25,   -5), s(   15,   -2), s(   11,   -5),
            s(   -2,    4), s(   -5,   -5), s(    6,    0), s(  -16,    0),
        ],
        [
            s(  -24,   10), s(   32,   -8), s(   28,   -3), s(    9,    0),
            s(   -3,    1), s(   -5,   -1), s(    8,    1), s(  -24,    0),
        ],
        [
            s(  -24,    3), s(   35,   -3), s(   20,   -2), s(    4,    1),
            s(   -4,    3), s(   -3,   -1), s(    5,    0), s(  -20,    0),
        ],
        [
            s(  -12,    4), s(   22,    3), s(    8,   -4), s(   -3,   -1),
            s(   -5,   -7), s(   -4,    4), s(    4,    1), s(  -14,    0),
        ],
    ],
    storm: [
        [
            s(    3,   -1), s(    0,    2), s(  -41,    2), s(  -21,    1),
            s(  -13,    2), s(    4,   -2), s(   -3,   -1), s(    0,    0),
        ],
        [
            s(   -6,    3), s(    0,    1), s(  -49,   -1), s(  -20,    3),
            s(  -13,   -1), s(   -9,   -3), s(   -5,   -7), s(    0,    0),
        ],
        [
            s(   -3,   -3), s(    0,   -2), s(  -49,    0), s(  -25,   -2),
            s(  -10,    4), s(    5,   -2), s(   -9,    3), s(    0,    0),
        ],
        [
            s(   -7,    2), s(    0,    1), s(  -37,   -4), s(  -18,    2),
            s(  -12,   -1), s(    1,    4), s(   -1,   -1), s(    0,    0),
        ],
    ],
    storm_blocked: [
        s(    0,    0), s(    0,    0), s(   -7,   -7), s(    0,   -4),
        s(    7,   -4), s(    2,   -3), s(   -4,    1), s(    0,    0),
    ],
    king_pawnless_flank: s(  -12,  -44),
    king_pawn_distance: s(    2,  -17),
    danger_attackers: [
        s(    0,    0), s(   50,    7), s(   26,    4), s(   37,    1),
        s(   29,    9), s(    0,    0),
    ],
    danger_count: [
        s(  -59,   -2), s(  -17,    3), s(   20,    5), s(   55,    6),
        s(   90,   12), s(  110,   14),
    ],
    danger_hit: s(    4,   -1),
    danger_weak: s(   29,    4),
    danger_check: [
        s(    0,    0), s(   95,   11), s(   62,    9), s(  108,   21),
        s(   86,   18), s(    0,    0),
    ],
    danger_unsafe_check: s(   21,    5),
    danger_pinned: s(   17,   -2),
    danger_no_queen: s( -191,  -22),
    danger_flank_attack: s(    8,    1),
    danger_flank_guard: s(   -6,    2),
    danger_open_file: s(    6,    2),
    danger_shelter_pawn: s(   -5,    4),
    danger_knight_guard: s(  -23,   -1),
    danger_base: s(   29,    1),
    threat_pawn: [
        s(    0,    0), s(   70,   35), s(   64,   42), s(   84,   20),
        s(   78,   24), s(    0,    0),
    ],
    threat_push: s(   22,   16),
    threat_minor: [
        s(    7,   19), s(   25,   24), s(   34,   30), s(   53,   40),
        s(   48,   60), s(    0,    0),
    ],
    threat_rook: [
        s(    7,   26), s(   20,   33), s(   22,   29), s(    1,   23),
        s(   46,   33), s(    0,    0),
    ],
    threat_king: s(   16,   32),
    hanging: s(   27,   26),
    restricted: s(    2,    2),
    knight_on_queen: s(    7,   -3),
    slider_on_queen: s(   17,    4),
    space: s(    3,    2),
    tempo: s(   23,   14),
    winnable_base: s(    0,  -68),
    winnable_passed: s(    0,   10),
    winnable_pawn: s(    0,   10),
    winnable_outflanking: s(    0,   -2),
    winnable_both_flanks: s(    0,   33),
    winnable_infiltration: s(    0,    6),
    winnable_pawn_ending: s(    0,   42),
};

//! All weights of the evaluation.
//!
//! The table at the end is rewritten as a whole by `tune weights` of the tools, which changes the
//! numbers and the line below, and nothing else.
// Made by: `tune weights`, 1814164 positions of 27763 games, k 0.00463, result share 0.5; loss 0.53390.

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
        s(   52,  132), s(  305,  365), s(  323,  365), s(  445,  615),
        s( 1027, 1075),
    ],
    piece_square: [
        [
            s(    0,    0), s(    0,    0), s(    0,    0), s(    0,    0),
            s(    2,    1), s(    8,    4), s(   -1,    6), s(   10,   -1),
            s(    2,   -4), s(    5,   -8), s(    7,   -1), s(   13,   -1),
            s(    0,    6), s(   -3,    4), s(   10,   -1), s(   22,  -14),
            s(    9,   21), s(    9,    8), s(   11,    4), s(   30,   -6),
            s(   18,   21), s(   18,   22), s(   27,   20), s(   38,   19),
            s(   31,   25), s(   33,   35), s(   35,   37), s(   53,   32),
            s(    0,    0), s(    0,    0), s(    0,    0), s(    0,    0),
        ],
        [
            s(  -29,  -24), s(  -25,  -12), s(  -21,    0), s(  -20,    5),
            s(  -19,  -10), s(  -13,   -3), s(   -7,   -9), s(   -7,   13),
            s(  -10,   -7), s(   -3,   -1), s(   -2,    0), s(    4,   13),
            s(   -2,   -4), s(    5,    4), s(   15,   12), s(    7,   20),
            s(    4,   -3), s(    6,    3), s(    8,    9), s(   17,   18),
            s(   -4,   -6), s(    3,    0), s(    7,    2), s(   11,    6),
            s(  -14,  -13), s(   -8,   -9), s(    4,   -5), s(    9,    7),
            s(  -26,  -23), s(   -9,  -13), s(   -6,   -8), s(    3,   -2),
        ],
        [
            s(   -6,  -12), s(   -7,   -4), s(  -18,    5), s(   -5,    5),
            s(   -7,   -3), s(   -3,   -3), s(   -2,    2), s(   -3,    4),
            s(    6,   -3), s(   10,    4), s(   -1,    4), s(    2,   13),
            s(    2,    4), s(    1,   -1), s(    8,    5), s(   10,    8),
            s(   -5,   -2), s(    5,    9), s(    4,    4), s(    8,    7),
            s(   -3,   -1), s(   -3,    3), s(    4,    0), s(   11,    0),
            s(   -6,   -3), s(   -6,   -1), s(    2,    4), s(    0,   -3),
            s(  -10,   -8), s(   -7,   -3), s(   -6,   -3), s(   -1,    2),
        ],
        [
            s(  -10,   -1), s(   -8,   -8), s(   -1,   -6), s(   11,  -10),
            s(  -18,   -4), s(   -2,    0), s(    1,    2), s(    9,   -6),
            s(  -16,    4), s(    6,    2), s(   -7,    3), s(   -1,   -2),
            s(  -15,    3), s(   -4,    7), s(    2,    6), s(   -3,    3),
            s(   -1,   11), s(    1,   12), s(    4,    5), s(    1,    2),
            s(   -6,   10), s(    1,   14), s(    4,    5), s(   10,    6),
            s(   -3,    8), s(    2,    6), s(    7,    4), s(   10,    2),
            s(   -3,   10), s(   -1,    6), s(    4,    7), s(    5,    4),
        ],
        [
            s(  -10,  -11), s(   -5,   -9), s(  -12,  -10), s(   -5,   -9),
            s(   -5,   -6), s(   -4,   -4), s(    1,    0), s(   -3,    3),
            s(   -4,   -2), s(    3,    3), s(    0,    6), s(   -3,   10),
            s(   -4,    1), s(   -4,    7), s(   -7,   11), s(   -8,   14),
            s(   -4,    5), s(    1,    8), s(   -6,    8), s(   -6,   15),
            s(   -1,    0), s(   -1,    4), s(   -3,    7), s(   -6,   10),
            s(   -5,   -3), s(   -3,    2), s(   -5,    4), s(   -5,    7),
            s(  -15,  -10), s(  -11,   -3), s(  -10,   -2), s(  -13,    1),
        ],
        [
            s(   17,  -45), s(   11,  -21), s(  -10,  -16), s(   -7,  -12),
            s(  -14,  -21), s(  -18,  -12), s(  -34,   -1), s(  -43,    3),
            s(  -35,  -13), s(  -32,   -9), s(  -45,    3), s(  -47,    8),
            s(  -53,   -5), s(  -55,    4), s(  -61,   10), s(  -64,   21),
            s(  -70,    1), s(  -75,    9), s(  -79,   16), s(  -80,   29),
            s(  -89,  -10), s(  -90,    8), s(  -94,   16), s(  -96,   23),
            s( -108,  -21), s( -110,   -4), s( -112,    3), s( -116,   10),
            s( -126,  -32), s( -129,  -22), s( -131,   -8), s( -135,   -4),
        ],
    ],
    bishop_pair: s(   29,   55),
    knight_pawns: s(    7,    1),
    rook_pawns: s(    1,  -15),
    rook_pair: s(  -36,   -4),
    knight_mobility: [
        s(  -28,  -49), s(  -21,  -33), s(  -12,  -11), s(   -4,   -4),
        s(   -1,    8), s(    2,   15), s(    4,   17), s(    9,   17),
        s(   15,   17),
    ],
    bishop_mobility: [
        s(  -17,  -45), s(  -13,  -20), s(   -2,   -4), s(    3,    7),
        s(    8,   16), s(   11,   23), s(   11,   25), s(   11,   35),
        s(   13,   35), s(   18,   36), s(   26,   45), s(   27,   40),
        s(   38,   49), s(   42,   55),
    ],
    rook_mobility: [
        s(  -39,  -70), s(  -21,  -28), s(   -6,   -4), s(   -3,    1), s(   -3,   13),
        s(   -3,   26), s(    0,   33), s(    2,   36), s(    3,   46), s(    4,   53),
        s(    7,   54), s(    5,   60), s(    6,   61), s(    9,   64), s(   24,   68),
    ],
    queen_mobility: [
        s(  -31,  -50), s(  -19,  -25), s(  -15,  -16), s(  -10,   -8),
        s(   -2,   -2), s(    0,    4), s(    7,    7), s(    9,   16),
        s(   15,   22), s(   14,   27), s(   17,   32), s(   18,   39),
        s(   21,   44), s(   21,   49), s(   22,   51), s(   21,   56),
        s(   22,   57), s(   26,   62), s(   28,   63), s(   27,   63),
        s(   28,   62), s(   27,   63), s(   32,   67), s(   32,   68),
        s(   33,   71), s(   35,   72), s(   37,   78), s(   38,   79),
    ],
    doubled: s(   -7,  -15),
    isolated: [
        s(  -11,   -1), s(   -3,   -6),
    ],
    backward: [
        s(   -7,   -3), s(    3,   -7),
    ],
    phalanx: [
        s(    0,    0), s(    5,   -1), s(    5,    2), s(    8,   10),
        s(    9,   17), s(   58,   67), s(  100,  120), s(    0,    0),
    ],
    supported: [
        s(    0,    0), s(    0,    0), s(   11,   10), s(    8,    7),
        s(   16,    5), s(   24,   42), s(   83,   83), s(    0,    0),
    ],
    candidate: [
        s(    0,    0), s(   -7,    1), s(    1,    9), s(    1,   19),
        s(    8,   32), s(   35,   60), s(    0,    0), s(    0,    0),
    ],
    passed: [
        s(    0,    0), s(   -9,   11), s(  -13,    8), s(   -4,   30),
        s(   30,   55), s(   50,  106), s(  116,  182), s(    0,    0),
    ],
    passed_blocked: [
        s(    0,    0), s(   -1,   -1), s(   -8,   -7), s(   -5,   -7),
        s(    1,  -21), s(  -14,  -38), s(  -35, -101), s(    0,    0),
    ],
    passed_safe: [
        s(    0,    0), s(   -2,    6), s(   -1,    4), s(   -6,    9),
        s(    4,   19), s(   12,   39), s(   21,   62), s(    0,    0),
    ],
    passed_free: [
        s(    0,    0), s(    0,    8), s(   -2,   11), s(   -1,   21),
        s(    5,   31), s(   19,   53), s(   27,   82), s(    0,    0),
    ],
    passed_guarded: [
        s(    0,    0), s(   -1,    5), s(    2,    8), s(    0,   11),
        s(   10,   19), s(   18,   35), s(   31,   59), s(    0,    0),
    ],
    passed_own_king: s(   -3,   -9),
    passed_enemy_king: s(    0,   14),
    passed_rook_behind: s(    9,   20),
    passed_enemy_rook_behind: s(  -14,  -40),
    passed_unstoppable: s(  200,  413),
    knight_outpost: s(   20,   16),
    bishop_outpost: s(   30,   23),
    knight_reaches_outpost: s(   12,   13),
    minor_behind_pawn: s(    1,   15),
    minor_king_distance: s(   -5,    0),
    bishop_pawn: s(   -1,   -2),
    bishop_rammed_pawn: s(   -5,    0),
    long_diagonal: s(   15,   10),
    rook_open: s(   18,    7),
    rook_half_open: s(    6,    7),
    rook_closed: s(   -6,    0),
    rook_seventh: s(    4,   14),
    rook_trapped: s(   -7,  -13),
    queen_exposed: s(  -19,   -4),
    shelter: [
        [
            s(   -6,   14), s(   17,  -14), s(   24,   -7), s(   13,   -2),
            s(    4,    5), s(   -2,   -3), s(    7,    4), s(  -16,    0),
        ],
        [
            s(  -14,   17), s(   30,   -7), s(   21,   -8), s(    3,   -5),
            s(    2,    5), s(   -3,    0), s(    9,    4), s(  -24,    0),
        ],
        [
            s(  -12,    7), s(   30,   -1), s(   12,   -4), s(    3,   -4),
            s(   -3,    0), s(   -3,   -1), s(    7,    4), s(  -20,    0),
        ],
        [
            s(  -13,    6), s(    8,    3), s(    4,   -7), s(   -4,    0),
            s(   -4,   -4), s(   -8,    0), s(    3,    1), s(  -14,    0),
        ],
    ],
    storm: [
        [
            s(   -8,   -6), s(    2,    2), s(  -40,    1), s(  -21,    2),
            s(   -5,    2), s(    3,   -7), s(   -3,   -1), s(    0,    0),
        ],
        [
            s(  -11,    1), s(    0,   -1), s(  -47,   -2), s(  -18,    1),
            s(   -8,    0), s(   -3,    3), s(  -11,   -1), s(    0,    0),
        ],
        [
            s(   -8,    4), s(   -1,   -5), s(  -47,   -1), s(  -22,   -1),
            s(   -5,    3), s(    2,   -2), s(    0,    6), s(    0,    0),
        ],
        [
            s(  -15,    8), s(   -1,    0), s(  -30,   -3), s(  -12,   -4),
            s(  -12,    2), s(   -2,    2), s(   -4,   -2), s(    0,    0),
        ],
    ],
    storm_blocked: [
        s(    0,    0), s(    0,    0), s(  -13,  -11), s(   -1,    1),
        s(    0,   -1), s(   -2,   -9), s(    4,    2), s(    0,    0),
    ],
    king_pawnless_flank: s(  -13,  -49),
    king_pawn_distance: s(    1,  -11),
    danger_attackers: [
        s(    0,    0), s(   43,    9), s(   18,    7), s(   23,  -12),
        s(   14,   16), s(    0,    0),
    ],
    danger_count: [
        s(  -50,    2), s(   -1,   -3), s(   17,    7), s(   44,    6),
        s(   86,   12), s(  109,   14),
    ],
    danger_hit: s(    2,   -4),
    danger_weak: s(   36,    2),
    danger_check: [
        s(    0,    0), s(  102,   20), s(   62,   20), s(  113,   46),
        s(   86,   37), s(    0,    0),
    ],
    danger_unsafe_check: s(   15,   24),
    danger_pinned: s(    6,   -6),
    danger_no_queen: s( -177,  -33),
    danger_flank_attack: s(    6,   12),
    danger_flank_guard: s(   -4,    0),
    danger_open_file: s(   15,   18),
    danger_shelter_pawn: s(   -9,   -3),
    danger_knight_guard: s(  -25,   -5),
    danger_base: s(   35,    1),
    threat_pawn: [
        s(    0,    0), s(   69,   36), s(   66,   46), s(   86,   22),
        s(   72,   22), s(    0,    0),
    ],
    threat_push: s(   16,   16),
    threat_minor: [
        s(    4,   22), s(   15,   22), s(   34,   31), s(   54,   38),
        s(   54,   60), s(    0,    0),
    ],
    threat_rook: [
        s(    4,   23), s(   17,   33), s(   24,   29), s(   -1,   23),
        s(   49,   32), s(    0,    0),
    ],
    threat_king: s(   19,   19),
    hanging: s(   17,   37),
    restricted: s(    4,    0),
    knight_on_queen: s(    9,   -5),
    slider_on_queen: s(   13,   -9),
    space: s(    0,   -1),
    tempo: s(   33,   28),
    winnable_base: s(    0,  -14),
    winnable_passed: s(    0,    3),
    winnable_pawn: s(    0,    1),
    winnable_outflanking: s(    0,    1),
    winnable_both_flanks: s(    0,   38),
    winnable_infiltration: s(    0,   15),
    winnable_pawn_ending: s(    0,   44),
};

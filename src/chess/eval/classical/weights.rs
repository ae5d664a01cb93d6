//! All weights of the evaluation.
//!
//! The table at the end is rewritten as a whole by `tune weights` of the tools, which changes the
//! numbers and the line below, and nothing else.
// Made by: hand.

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
        s(   82,  104), s(  330,  310), s(  350,  330), s(  490,  560),
        s( 1010, 1020),
    ],
    piece_square: [
        [
            s(    0,    0), s(    0,    0), s(    0,    0), s(    0,    0),
            s(    0,   -6), s(    2,   -6), s(    4,   -6), s(    6,   -6),
            s(    3,   -2), s(    5,   -2), s(    7,   -2), s(    9,   -2),
            s(    6,    2), s(    8,    2), s(   10,    2), s(   28,    2),
            s(   12,    9), s(   14,    9), s(   16,    9), s(   34,    9),
            s(   20,   18), s(   22,   18), s(   24,   18), s(   42,   18),
            s(   30,   29), s(   32,   29), s(   34,   29), s(   52,   29),
            s(    0,    0), s(    0,    0), s(    0,    0), s(    0,    0),
        ],
        [
            s(  -28,  -18), s(  -22,  -13), s(  -16,   -8), s(  -10,   -3),
            s(  -20,  -13), s(  -14,   -8), s(   -8,   -3), s(   -2,    2),
            s(  -12,   -8), s(   -6,   -3), s(    0,    2), s(    6,    7),
            s(   -4,   -3), s(    2,    2), s(    8,    7), s(   14,   12),
            s(   -2,   -3), s(    4,    2), s(   10,    7), s(   16,   12),
            s(   -6,   -8), s(    0,   -3), s(    6,    2), s(   12,    7),
            s(  -10,  -13), s(   -4,   -8), s(    2,   -3), s(    8,    2),
            s(  -14,  -18), s(   -8,  -13), s(   -2,   -8), s(    4,   -3),
        ],
        [
            s(  -16,   -6), s(  -13,   -4), s(  -10,   -2), s(   -7,    0),
            s(   -5,   -4), s(   -2,   -2), s(    1,    0), s(    4,    2),
            s(   -2,   -2), s(    1,    0), s(    4,    2), s(    7,    4),
            s(    1,    0), s(    4,    2), s(    7,    4), s(   10,    6),
            s(    1,    0), s(    4,    2), s(    7,    4), s(   10,    6),
            s(   -2,   -2), s(    1,    0), s(    4,    2), s(    7,    4),
            s(   -5,   -4), s(   -2,   -2), s(    1,    0), s(    4,    2),
            s(   -8,   -6), s(   -5,   -4), s(   -2,   -2), s(    1,    0),
        ],
        [
            s(   -6,   -3), s(   -2,   -3), s(    2,   -3), s(    6,   -3),
            s(   -6,   -2), s(   -2,   -2), s(    2,   -2), s(    6,   -2),
            s(   -6,   -1), s(   -2,   -1), s(    2,   -1), s(    6,   -1),
            s(   -6,    0), s(   -2,    0), s(    2,    0), s(    6,    0),
            s(   -6,    1), s(   -2,    1), s(    2,    1), s(    6,    1),
            s(   -6,    2), s(   -2,    2), s(    2,    2), s(    6,    2),
            s(    0,   11), s(    4,   11), s(    8,   11), s(   12,   11),
            s(   -6,    4), s(   -2,    4), s(    2,    4), s(    6,    4),
        ],
        [
            s(   -4,  -12), s(   -3,   -8), s(   -2,   -4), s(   -1,    0),
            s(   -3,   -8), s(   -2,   -4), s(   -1,    0), s(    0,    4),
            s(   -2,   -4), s(   -1,    0), s(    0,    4), s(    1,    8),
            s(   -6,    0), s(   -4,    4), s(   -4,    8), s(   -2,   12),
            s(   -7,    0), s(   -6,    4), s(   -5,    8), s(   -4,   12),
            s(  -10,   -4), s(   -8,    0), s(   -8,    4), s(   -6,    8),
            s(  -12,   -8), s(  -11,   -4), s(  -10,    0), s(   -9,    4),
            s(  -14,  -12), s(  -14,   -8), s(  -12,   -4), s(  -12,    0),
        ],
        [
            s(   12,  -30), s(    9,  -21), s(    6,  -12), s(  -15,   -3),
            s(  -18,  -21), s(  -21,  -12), s(  -24,   -3), s(  -27,    6),
            s(  -36,  -12), s(  -39,   -3), s(  -42,    6), s(  -45,   15),
            s(  -54,   -3), s(  -57,    6), s(  -60,   15), s(  -63,   24),
            s(  -72,   -3), s(  -75,    6), s(  -78,   15), s(  -81,   24),
            s(  -90,  -12), s(  -93,   -3), s(  -96,    6), s(  -99,   15),
            s( -108,  -21), s( -111,  -12), s( -114,   -3), s( -117,    6),
            s( -126,  -30), s( -129,  -21), s( -132,  -12), s( -135,   -3),
        ],
    ],
    bishop_pair: s(   28,   50),
    knight_pawns: s(    2,    4),
    rook_pawns: s(   -3,   -1),
    rook_pair: s(  -12,  -18),
    knight_mobility: [
        s(  -50,  -66), s(  -23,  -34), s(  -12,  -21), s(   -3,  -11),
        s(    4,   -2), s(   10,    5), s(   16,   12), s(   21,   18),
        s(   26,   24),
    ],
    bishop_mobility: [
        s(  -40,  -55), s(  -17,  -24), s(   -7,  -11), s(    0,   -1),
        s(    7,    8), s(   12,   15), s(   17,   22), s(   22,   28),
        s(   26,   34), s(   30,   39), s(   34,   44), s(   37,   49),
        s(   41,   54), s(   44,   58),
    ],
    rook_mobility: [
        s(  -36,  -66), s(  -20,  -29), s(  -14,  -14), s(   -9,   -2), s(   -5,    8),
        s(   -1,   16), s(    2,   24), s(    5,   32), s(    8,   38), s(   11,   45),
        s(   13,   51), s(   15,   56), s(   18,   62), s(   20,   67), s(   22,   72),
    ],
    queen_mobility: [
        s(  -28,  -50), s(  -15,  -25), s(  -10,  -15), s(   -6,   -7),
        s(   -3,    0), s(    0,    6), s(    3,   11), s(    6,   16),
        s(    8,   21), s(   10,   25), s(   12,   29), s(   14,   33),
        s(   16,   37), s(   18,   40), s(   20,   44), s(   21,   47),
        s(   23,   50), s(   24,   53), s(   26,   56), s(   27,   59),
        s(   29,   62), s(   30,   65), s(   32,   67), s(   33,   70),
        s(   34,   73), s(   36,   75), s(   37,   78), s(   38,   80),
    ],
    doubled: s(   -8,  -22),
    isolated: [
        s(  -16,  -18), s(   -6,  -12),
    ],
    backward: [
        s(  -16,  -16), s(   -6,   -9),
    ],
    phalanx: [
        s(    0,    0), s(    4,    0), s(    8,    4), s(   14,   12),
        s(   28,   32), s(   60,   70), s(  100,  120), s(    0,    0),
    ],
    supported: [
        s(    0,    0), s(    0,    0), s(   14,    8), s(   10,    8),
        s(   16,   16), s(   32,   40), s(   80,   80), s(    0,    0),
    ],
    candidate: [
        s(    0,    0), s(    0,    4), s(    0,    8), s(    8,   16),
        s(   20,   36), s(   36,   60), s(    0,    0), s(    0,    0),
    ],
    passed: [
        s(    0,    0), s(    0,    8), s(    0,   14), s(    4,   30),
        s(   24,   56), s(   60,  100), s(  110,  170), s(    0,    0),
    ],
    passed_blocked: [
        s(    0,    0), s(    0,   -2), s(   -4,   -8), s(   -8,  -16),
        s(  -14,  -30), s(  -24,  -60), s(  -36, -110), s(    0,    0),
    ],
    passed_safe: [
        s(    0,    0), s(    0,    0), s(    0,    4), s(    2,   10),
        s(    6,   18), s(   12,   34), s(   20,   60), s(    0,    0),
    ],
    passed_free: [
        s(    0,    0), s(    0,    0), s(    0,    4), s(    4,   10),
        s(    8,   22), s(   16,   44), s(   26,   80), s(    0,    0),
    ],
    passed_guarded: [
        s(    0,    0), s(    0,    0), s(    0,    2), s(    4,    6),
        s(   10,   12), s(   16,   24), s(   22,   40), s(    0,    0),
    ],
    passed_own_king: s(    1,   -4),
    passed_enemy_king: s(   -1,    7),
    passed_rook_behind: s(    4,   12),
    passed_enemy_rook_behind: s(   -4,  -12),
    passed_unstoppable: s(  200,  420),
    knight_outpost: s(   32,   20),
    bishop_outpost: s(   24,   12),
    knight_reaches_outpost: s(   14,    8),
    minor_behind_pawn: s(    8,    3),
    minor_king_distance: s(   -2,   -3),
    bishop_pawn: s(   -3,   -5),
    bishop_rammed_pawn: s(   -3,   -5),
    long_diagonal: s(   20,    8),
    rook_open: s(   32,   12),
    rook_half_open: s(   14,    8),
    rook_closed: s(  -10,   -4),
    rook_seventh: s(    8,   28),
    rook_trapped: s(  -26,   -6),
    queen_exposed: s(  -24,   -8),
    shelter: [
        [
            s(  -21,    0), s(   27,    0), s(   18,    0), s(    3,    0),
            s(   -3,    0), s(   -2,    0), s(    5,    0), s(  -16,    0),
        ],
        [
            s(  -31,    0), s(   41,    0), s(   26,    0), s(    5,    0),
            s(   -5,    0), s(   -2,    0), s(    7,    0), s(  -24,    0),
        ],
        [
            s(  -26,    0), s(   34,    0), s(   22,    0), s(    4,    0),
            s(   -4,    0), s(   -2,    0), s(    6,    0), s(  -20,    0),
        ],
        [
            s(  -18,    0), s(   24,    0), s(   15,    0), s(    3,    0),
            s(   -3,    0), s(   -1,    0), s(    4,    0), s(  -14,    0),
        ],
    ],
    storm: [
        [
            s(    3,    0), s(    0,    0), s(  -40,    0), s(  -22,    0),
            s(  -10,    0), s(   -3,    0), s(    0,    0), s(    0,    0),
        ],
        [
            s(    4,    0), s(    0,    0), s(  -50,    0), s(  -28,    0),
            s(  -12,    0), s(   -4,    0), s(    0,    0), s(    0,    0),
        ],
        [
            s(    4,    0), s(    0,    0), s(  -50,    0), s(  -28,    0),
            s(  -12,    0), s(   -4,    0), s(    0,    0), s(    0,    0),
        ],
        [
            s(    3,    0), s(    0,    0), s(  -40,    0), s(  -22,    0),
            s(  -10,    0), s(   -3,    0), s(    0,    0), s(    0,    0),
        ],
    ],
    storm_blocked: [
        s(    0,    0), s(    0,    0), s(   -8,   -8), s(   -6,   -6),
        s(    0,   -4), s(    0,   -2), s(    0,    0), s(    0,    0),
    ],
    king_pawnless_flank: s(  -12,  -40),
    king_pawn_distance: s(    0,   -7),
    danger_attackers: [
        s(    0,    0), s(   52,    6), s(   30,    4), s(   40,    2),
        s(   34,    8), s(    0,    0),
    ],
    danger_count: [
        s(  -60,    0), s(  -20,    0), s(   20,    4), s(   60,    8),
        s(   90,   12), s(  110,   14),
    ],
    danger_hit: s(   18,    1),
    danger_weak: s(   38,    4),
    danger_check: [
        s(    0,    0), s(   95,   10), s(   62,    6), s(  105,   10),
        s(   85,   16), s(    0,    0),
    ],
    danger_unsafe_check: s(   20,    2),
    danger_pinned: s(   26,    4),
    danger_no_queen: s( -190,  -20),
    danger_flank_attack: s(    6,    0),
    danger_flank_guard: s(   -5,    0),
    danger_open_file: s(   20,    0),
    danger_shelter_pawn: s(  -14,    0),
    danger_knight_guard: s(  -26,    0),
    danger_base: s(   30,    0),
    threat_pawn: [
        s(    0,    0), s(   62,   36), s(   62,   40), s(   84,   20),
        s(   80,   24), s(    0,    0),
    ],
    threat_push: s(   20,   18),
    threat_minor: [
        s(    4,   22), s(   24,   26), s(   30,   30), s(   52,   44),
        s(   46,   60), s(    0,    0),
    ],
    threat_rook: [
        s(    2,   26), s(   22,   36), s(   24,   34), s(    4,   24),
        s(   44,   32), s(    0,    0),
    ],
    threat_king: s(   16,   40),
    hanging: s(   36,   20),
    restricted: s(    4,    4),
    knight_on_queen: s(   10,    8),
    slider_on_queen: s(   30,   12),
    space: s(    4,    0),
    tempo: s(   18,   14),
    winnable_base: s(    0,  -60),
    winnable_passed: s(    0,    6),
    winnable_pawn: s(    0,    6),
    winnable_outflanking: s(    0,    4),
    winnable_both_flanks: s(    0,   14),
    winnable_infiltration: s(    0,   12),
    winnable_pawn_ending: s(    0,   34),
};

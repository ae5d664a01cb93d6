//! Syzygy endgame tables (Ronald de Man 2013): who wins a position of few men, and how many plies it
//! takes to the next capture or pawn move. Files are read by the crate `shakmaty-syzygy`; a file that
//! is damaged or has vanished is told once, and from then on nothing is looked up.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{
            AtomicBool, AtomicU64,
            Ordering::{AcqRel, Relaxed},
        },
    },
};

use parking_lot::Mutex;
use shakmaty::{Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, PositionError, Setup};
use shakmaty_syzygy::{
    SyzygyError, Tablebase,
    filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint},
};

use super::{
    piece::{Color, PieceKind},
    position::Position,
};

/// The value of a position under the fifty-move rule, the counter at nought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wdl {
    /// Lost.
    Loss = -2,
    /// Lost but for the fifty-move rule, which saves the draw.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won but for the fifty-move rule.
    CursedWin,
    /// Won.
    Win,
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loss => "loss",
            Self::BlessedLoss => "loss, drawn by the fifty-move rule",
            Self::Draw => "draw",
            Self::CursedWin => "win, drawn by the fifty-move rule",
            Self::Win => "win",
        })
    }
}

impl From<shakmaty_syzygy::Wdl> for Wdl {
    fn from(wdl: shakmaty_syzygy::Wdl) -> Self {
        match wdl {
            shakmaty_syzygy::Wdl::Loss => Self::Loss,
            shakmaty_syzygy::Wdl::BlessedLoss => Self::BlessedLoss,
            shakmaty_syzygy::Wdl::Draw => Self::Draw,
            shakmaty_syzygy::Wdl::CursedWin => Self::CursedWin,
            shakmaty_syzygy::Wdl::Win => Self::Win,
        }
    }
}

/// The tables of some folders.
#[derive(Debug)]
pub struct Tables {
    files: Tablebase<Chess>,
    found: Found,
    /// Something could not be read: nothing is looked up any more.
    failed: AtomicBool,
    /// What it was, until somebody has told the user.
    fault: Mutex<Option<String>>,
}

/// How many files there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Found {
    /// Files that say who wins.
    pub wdl: usize,
    /// Files that say how far it is to the next capture or pawn move.
    pub dtz: usize,
    /// Men of the largest table.
    pub men: u32,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wdl, dtz, men } = self;
        if wdl + dtz == 0 {
            return f.write_str("Found no Syzygy tablebase files");
        }
        write!(f, "Found {wdl} WDL and {dtz} DTZ tablebase files (up to {men}-man)")
    }
}

impl Tables {
    /// The tables of the folders of `path`, and what was wrong with them. A later folder's file takes
    /// the place of an earlier one's.
    pub fn open(path: &str) -> (Self, Vec<String>) {
        let mut tables = Tablebase::with_filesystem(Arc::new(Files::default()));
        let mut found = Found::default();
        let mut faults = Vec::new();
        for folder in folders(path) {
            if let Err(error) = add_folder(&mut tables, folder, &mut found, &mut faults) {
                faults.push(format!("SyzygyPath: the folder {folder} cannot be read: {error}"));
            }
        }
        found.men = tables.max_pieces() as u32;
        (
            Self { files: tables, found, failed: AtomicBool::new(false), fault: Mutex::new(None) },
            faults,
        )
    }

    /// How many files there are.
    pub const fn found(&self) -> Found {
        self.found
    }

    /// Who wins, whatever the counter of the fifty-move rule says; `None` if the tables that are
    /// needed are not there. Positions with castling rights are in no table.
    pub fn wdl(&self, position: &Position) -> Option<Wdl> {
        let position = self.convert(position)?;
        self.note(self.files.probe_wdl_after_zeroing(&position)).map(Wdl::from)
    }

    /// Plies to the next capture or pawn move with best play, negative for the side that loses, 0
    /// in a draw; 100 more where the fifty-move rule saves the draw. May be one less than the truth.
    pub fn dtz(&self, position: &Position) -> Option<i32> {
        let position = self.convert(position)?;
        self.note(self.files.probe_dtz(&position)).map(|dtz| dtz.ignore_rounding().0)
    }

    /// What could not be read, told once.
    pub fn take_fault(&self) -> Option<String> {
        if self.failed.load(Relaxed) { self.fault.lock().take() } else { None }
    }

    /// The answer, or a note of why there is none that can be had again. A table that is not there
    /// is no fault.
    fn note<T>(&self, result: Result<T, SyzygyError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(SyzygyError::ProbeFailed { metric, material, error }) => {
                if !self.failed.swap(true, AcqRel) {
                    // The error of a damaged file ends with a list of calls.
                    let error = error.to_string();
                    let reason = error.split(": disabled").next().unwrap_or(&error);
                    *self.fault.lock() = Some(format!(
                        "the {metric} table {material} cannot be read ({reason}); \
                         tablebases are off until SyzygyPath is changed"
                    ));
                }
                None
            }
            Err(_) => None,
        }
    }

    /// The position as the crate knows it; `None` where no table can have it.
    fn convert(&self, position: &Position) -> Option<Chess> {
        if position.occupied().count() > self.found.men
            || !position.castling().is_empty()
            || self.failed.load(Relaxed)
        {
            return None;
        }
        let of = |kind| Bitboard(position.pieces(kind).0);
        let by_role = ByRole {
            pawn: of(PieceKind::Pawn),
            knight: of(PieceKind::Knight),
            bishop: of(PieceKind::Bishop),
            rook: of(PieceKind::Rook),
            queen: of(PieceKind::Queen),
            king: of(PieceKind::King),
        };
        let by_color = ByColor {
            white: Bitboard(position.by_color(Color::White).0),
            black: Bitboard(position.by_color(Color::Black).0),
        };
        let mut setup = Setup::empty();
        setup.board = Board::try_from_bitboards(by_role, by_color).ok()?;
        setup.turn = shakmaty::Color::from_white(position.side_to_move() == Color::White);
        setup.ep_square =
            position.en_passant().map(|square| shakmaty::Square::new(square.index() as u32));
        setup
            .position(CastlingMode::Chess960)
            .or_else(PositionError::ignore_too_much_material)
            .or_else(PositionError::ignore_impossible_check)
            .ok()
    }
}

fn add_folder(
    tables: &mut Tablebase<Chess>,
    folder: &str,
    found: &mut Found,
    faults: &mut Vec<String>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let counter = match path.extension().and_then(|extension| extension.to_str()) {
            Some("rtbw") => &mut found.wdl,
            Some("rtbz") => &mut found.dtz,
            _ => continue,
        };
        match tables.add_file(&path) {
            Ok(()) => *counter += 1,
            Err(error) => {
                faults.push(format!("SyzygyPath: {} is no table: {error}", path.display()));
            }
        }
    }
    Ok(())
}

/// The folders of a list that `;` or `:` joins, empty ones left out. The colon of a Windows drive
/// joins nothing, nor does one in the name of a folder that is there.
fn folders(list: &str) -> Vec<&str> {
    let mut folders = Vec::new();
    for part in list.split(';').map(str::trim) {
        let mut rest = part;
        while !rest.is_empty() && !Path::new(rest).is_dir() {
            let drive = if is_drive(rest) { 2 } else { 0 };
            let Some(end) = rest[drive..].find(':').map(|at| at + drive) else { break };
            folders.push(rest[..end].trim());
            rest = rest[end + 1..].trim_start();
        }
        folders.push(rest);
    }
    folders.retain(|folder| !folder.is_empty());
    folders
}

/// `C:\` or `C:/`.
fn is_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
}

/// Small files are read into memory, where a look-up takes half the time of one by the system's
/// calls. Maps of memory would be as fast, but a file that is cut short or a disk that fails ends
/// the program by a signal then.
#[derive(Debug, Default)]
struct Files {
    system: OsFilesystem,
    /// Bytes in memory.
    held: AtomicU64,
}

/// Files up to this size are read into memory: most of those of five men.
const LARGEST_HELD: u64 = 16 << 20;
/// Memory for all of them.
const MOST_HELD: u64 = 512 << 20;

impl Filesystem for Files {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.system.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.system.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        let size = self.system.regular_file_size(path)?;
        if size > LARGEST_HELD || self.held.fetch_add(size, Relaxed) + size > MOST_HELD {
            return self.system.open(path);
        }
        Ok(Box::new(Held(fs::read(path)?)))
    }
}

/// A file in memory.
struct Held(Vec<u8>);

impl RandomAccessFile for Held {
    fn read_at(&self, buffer: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|at| self.0.get(at..)).unwrap_or(&[]);
        let length = buffer.len().min(rest.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");

    fn verdict(tables: &Tables, fen: &str) -> (Option<Wdl>, Option<i32>) {
        let position = Position::from_fen(fen).unwrap();
        (tables.wdl(&position), tables.dtz(&position))
    }

    #[test]
    fn folders_are_joined_by_either_separator_and_drives_are_none() {
        assert_eq!(folders("/a:/b b;/c"), ["/a", "/b b", "/c"]);
        assert_eq!(folders(r"C:\tb;D:/tb 5:E:\x"), [r"C:\tb", "D:/tb 5", r"E:\x"]);
        assert_eq!(folders(" :/nope:: ;;"), ["/nope"]);
        assert!(folders("").is_empty());
    }

    /// The longest win of king and rook against king is 16 moves, of king and queen 10; KPK by
    /// python-chess 1.11.2 from the same tables.
    #[test]
    fn endings_are_what_the_tables_say() {
        let (tables, faults) = Tables::open(FOLDER);
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(tables.found(), Found { wdl: 5, dtz: 5, men: 3 });
        for (fen, wdl, dtz) in [
            ("8/8/8/8/8/8/3k4/K1R5 b - - 0 1", Wdl::Draw, 0),
            ("8/8/8/8/4k3/8/8/KR6 w - - 0 1", Wdl::Win, 29),
            ("8/8/8/8/4k3/8/8/KR6 b - - 0 1", Wdl::Loss, -30),
            ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", Wdl::Win, 3),
            ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", Wdl::Draw, 0),
            ("8/8/8/8/8/k7/p7/K7 w - - 0 1", Wdl::Draw, 0),
        ] {
            assert_eq!(verdict(&tables, fen), (Some(wdl), Some(dtz)), "{fen}");
        }
    }

    #[test]
    fn what_is_in_no_table_has_no_verdict() {
        let (tables, _) = Tables::open(FOLDER);
        for fen in [
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "4k3/8/8/8/8/8/8/3BK1N1 w - - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ] {
            assert_eq!(verdict(&tables, fen), (None, None), "{fen}");
        }
        assert_eq!(tables.take_fault(), None);
    }

    #[test]
    fn a_missing_folder_is_named_and_the_others_count() {
        let (tables, faults) = Tables::open(&format!("/no/such/folder;{FOLDER}"));
        assert_eq!(faults.len(), 1);
        assert!(faults[0].contains("/no/such/folder"), "{faults:?}");
        assert_eq!(tables.found().wdl, 5);
    }

    #[test]
    fn a_file_that_is_damaged_or_has_vanished_is_told_once_and_ends_the_looking_up() {
        for vanishes in [false, true] {
            let name = format!("tegenspel-tables-{}-{vanishes}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("KRvK.rtbw"), [7; 80]).unwrap();
            fs::write(folder.join("KQvK.rtbw"), [7; 81]).unwrap();
            let (tables, faults) = Tables::open(folder.to_str().unwrap());
            assert!(faults.len() == 1 && faults[0].contains("KQvK"), "{faults:?}");
            if vanishes {
                fs::remove_dir_all(&folder).unwrap();
            }
            let fen = "8/8/8/8/4k3/8/8/KR6 w - - 0 1";
            assert_eq!(verdict(&tables, fen), (None, None));
            let fault = tables.take_fault().unwrap();
            assert!(fault.contains("KRvK") && !fault.contains('\n'), "{fault}");
            assert_eq!(tables.take_fault(), None);
            let _ = fs::remove_dir_all(&folder);
        }
    }

    /// Whatever is in a file, looking it up ends, with an answer or without.
    #[test]
    fn no_bytes_make_the_reader_panic() {
        use rand::{RngExt, SeedableRng, rngs::SmallRng};
        let mut rng = SmallRng::seed_from_u64(8);
        let folder = std::env::temp_dir().join(format!("tegenspel-noise-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for _ in 0..60 {
            for file in fs::read_dir(FOLDER).unwrap() {
                let file = file.unwrap();
                let mut bytes = fs::read(file.path()).unwrap();
                for _ in 0..=bytes.len() / 500 {
                    let at = rng.random_range(4..bytes.len());
                    bytes[at] = rng.random();
                }
                fs::write(folder.join(file.file_name()), bytes).unwrap();
            }
            let (tables, _) = Tables::open(folder.to_str().unwrap());
            for fen in ["8/8/8/8/4k3/8/8/KR6 w - - 0 1", "4k3/8/4K3/4P3/8/8/8/8 b - - 0 1"] {
                let _ = verdict(&tables, fen);
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}

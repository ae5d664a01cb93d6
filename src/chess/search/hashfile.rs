//! The transposition table on disk, so that an analysis goes on where it ended.
//!
//! A header of a page says what the file is: magic, version, size, what the scores were made with;
//! the clusters follow as they lie in memory. A file is written beside its place and then renamed, so
//! that there is always a whole one; it is read twice, first to see that it is whole.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::Path,
};

use super::tt::TranspositionTable;

/// First bytes of a file.
const MAGIC: [u8; 8] = *b"TGNHASH\0";
/// Number of the format: goes up when the form of an entry, or what it means, changes.
const VERSION: u32 = 3;
/// Bytes of the header.
const HEADER: usize = 4096;
/// Bytes read or written at once.
const PIECE: usize = 1 << 20;

/// What a file must agree with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// Keys are made alike: the key of the start position.
    pub(super) keys: u64,
    /// Scores are made alike: the name of the evaluation.
    pub(super) evaluation: String,
}

impl Header {
    /// Magic, version, length of the name, keys, bytes of the table, checksum, age, name.
    fn to_bytes(&self, length: u64, checksum: u64, generation: u8) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let name = &self.evaluation.as_bytes()[..self.evaluation.len().min(HEADER - 64)];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&(name.len() as u32).to_le_bytes());
        bytes[16..24].copy_from_slice(&self.keys.to_le_bytes());
        bytes[24..32].copy_from_slice(&length.to_le_bytes());
        bytes[32..40].copy_from_slice(&checksum.to_le_bytes());
        bytes[40] = generation;
        bytes[64..64 + name.len()].copy_from_slice(name);
        bytes
    }
}

/// Writes the table to `path`; a file that is there is replaced only by a whole one.
///
/// # Errors
/// With the reason, if that cannot be done.
pub(super) fn save(table: &TranspositionTable, path: &Path, header: &Header) -> Result<(), String> {
    let mut name = path.file_name().ok_or("HashFile names no file")?.to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = write_part(table, &part, header).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| {
        // Nothing is left of what could not be finished.
        let _ = fs::remove_file(&part);
        format!("the hash table cannot be saved to {}: {error}", path.display())
    })
}

fn write_part(table: &TranspositionTable, part: &Path, header: &Header) -> io::Result<()> {
    let bytes = table.bytes();
    let mut sum = Checksum::default();
    bytes.chunks(PIECE).for_each(|piece| sum.add(piece));
    let mut file = File::create(part)?;
    file.write_all(&header.to_bytes(bytes.len() as u64, sum.0, table.generation()))?;
    bytes.chunks(PIECE).try_for_each(|piece| file.write_all(piece))?;
    file.sync_all()
}

/// Takes the contents of a file of the same size for the table's.
///
/// # Errors
/// With the reason, if the file is not one of ours, damaged, or made with another size or
/// evaluation; the table is then as it was.
pub(super) fn load(
    table: &mut TranspositionTable,
    path: &Path,
    header: &Header,
) -> Result<(), String> {
    let refuse = |reason: String| {
        format!("{} is not loaded: {reason}; the hash table is unchanged", path.display())
    };
    let (checksum, generation) = check(table, path, header).map_err(refuse)?;
    let mut sum = Checksum::default();
    let filled = pieces(path, |at, piece| {
        table.fill(at, piece);
        sum.add(piece);
    });
    if filled.is_err() || sum.0 != checksum {
        table.clear(1);
        return Err(format!("{} changed while it was read: the table is empty", path.display()));
    }
    table.set_generation(generation);
    Ok(())
}

/// Reads the whole file and says its checksum and age.
fn check(table: &TranspositionTable, path: &Path, header: &Header) -> Result<(u64, u8), String> {
    let mut found = [0; HEADER];
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    file.read_exact(&mut found).map_err(|_| "it is no hash file".to_owned())?;
    let number = |at: usize| {
        found[at..at + 8].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    };
    if found[..8] != MAGIC {
        return Err("it is no hash file".to_owned());
    }
    let version = number(8) as u32;
    if version != VERSION {
        return Err(format!("it has format {version}, not {VERSION}"));
    }
    let (length, checksum, generation) = (number(24), number(32), found[40]);
    let mine = header.to_bytes(length, checksum, generation);
    if found != mine {
        return Err("it was made with another evaluation or version of the program".to_owned());
    }
    let own = table.bytes().len() as u64;
    if length != own {
        return Err(format!("it was saved at Hash {}, not {}", length >> 20, own >> 20));
    }
    let size = file.metadata().map_err(|error| error.to_string())?.len();
    if size != length + HEADER as u64 {
        return Err("it is cut short, or something follows it".to_owned());
    }
    let mut sum = Checksum::default();
    pieces(path, |_, piece| sum.add(piece)).map_err(|error| error.to_string())?;
    if sum.0 != checksum {
        return Err("it is damaged: its checksum is wrong".to_owned());
    }
    Ok((checksum, generation))
}

/// Gives what lies behind the header, piece by piece, each with its place in the table.
fn pieces(path: &Path, mut take: impl FnMut(usize, &[u8])) -> io::Result<()> {
    let mut file = File::open(path)?;
    file.read_exact(&mut [0; HEADER])?;
    let mut buffer = vec![0; PIECE];
    let mut at = 0;
    loop {
        let mut length = 0;
        while length < PIECE {
            match file.read(&mut buffer[length..])? {
                0 => break,
                more => length += more,
            }
        }
        if length == 0 {
            return Ok(());
        }
        take(at, &buffer[..length]);
        at += length;
    }
}

/// Words multiplied into each other, as rustc's hash of small keys does: not against malice, but no
/// cut, gap or flipped bit escapes it in practice.
#[derive(Debug, Default)]
struct Checksum(u64);

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        // The golden ratio in 64 bits, odd.
        const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{super::tt::Entry, *};
    use crate::engine::Bound;

    fn header() -> Header {
        Header { keys: 5, evaluation: "classical".to_owned() }
    }

    fn filled() -> TranspositionTable {
        let mut table = TranspositionTable::new(1).unwrap();
        table.age();
        let bound = Some(Bound::Exact);
        let entry = Entry { mv: None, score: 17, eval: None, depth: 9, bound, was_pv: false };
        (1..1000_u64).for_each(|n| table.store(n << 50 | n, 0, entry));
        table
    }

    fn file(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("tegenspel-{name}-{}.hash", std::process::id()))
    }

    #[test]
    fn what_was_saved_is_loaded_again() {
        let path = file("whole");
        let table = filled();
        save(&table, &path, &header()).unwrap();
        save(&table, &path, &header()).unwrap();
        let mut other = TranspositionTable::new(1).unwrap();
        load(&mut other, &path, &header()).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(other.bytes(), table.bytes());
        assert_eq!(other.hashfull(), table.hashfull());
    }

    #[test]
    fn what_is_not_whole_or_not_ours_is_refused_and_changes_nothing() {
        let path = file("damaged");
        let table = filled();
        save(&table, &path, &header()).unwrap();
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        flipped[HEADER + 77_777] ^= 4;
        let mut newer = whole.clone();
        newer[8] = 9;
        for (bytes, reason) in [
            (&whole[..whole.len() - 1], "cut short"),
            (&whole[..100], "no hash file"),
            (&[], "no hash file"),
            (&[7; 5000], "no hash file"),
            (&flipped, "checksum"),
            (&newer, "format 9"),
        ] {
            fs::write(&path, bytes).unwrap();
            let mut target = filled();
            let error = load(&mut target, &path, &header()).unwrap_err();
            assert!(error.contains(reason), "{error}");
            assert_eq!(target.bytes(), table.bytes(), "{error}");
        }
        fs::write(&path, &whole).unwrap();
        let other = Header { evaluation: "a network".to_owned(), ..header() };
        assert!(load(&mut filled(), &path, &other).unwrap_err().contains("another evaluation"));
        let mut large = TranspositionTable::new(2).unwrap();
        assert!(load(&mut large, &path, &header()).unwrap_err().contains("Hash 1, not 2"));
        fs::remove_file(&path).unwrap();
        assert!(load(&mut filled(), &path, &header()).is_err());
    }

    #[test]
    fn where_no_file_can_be_written_the_reason_is_given() {
        let error = save(&filled(), Path::new("/no/such/folder/x"), &header()).unwrap_err();
        assert!(error.contains("/no/such/folder/x"));
        assert!(save(&filled(), Path::new(""), &header()).is_err());
    }
}

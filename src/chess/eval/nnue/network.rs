//! A network as it is stored, checked and asked: 768 inputs a side, one hidden layer, eight outputs.
//!
//! A file is: magic, hash of all that follows (FNV-1a), format version, width, inputs, output
//! layers, length of the record and the record (how the network was made, as text); then weights and
//! biases of the hidden layer, weights and biases of the outputs. All little-endian.

use std::{fmt, fs, io, path::Path, sync::Arc};

use once_cell::sync::OnceCell;

use super::{
    features::{BUCKETS, INPUTS, bucket, input, is_mirrored},
    simd::{Block, Kernel, LANES, Level, QA, Work, add, dispatch},
};
use crate::chess::{
    piece::{Color, Piece, PieceKind},
    position::Position,
    score::Score,
    square::Square,
};

/// What an output weight of 1 is stored as.
pub const QB: i32 = 64;
/// Centipawns whose chance of winning is `1 / (1 + 1/e)`.
pub const SCALE: i32 = 400;
/// Largest weight, in either direction, so that sixteen bits hold all products and sums:
/// `1.98 * QB` is 127, and 33 times `1.98 * QA` is below 2¹⁵.
pub const LARGEST_WEIGHT: f32 = 1.98;
/// Estimates are smaller than this, in either direction; a won ending known by theory is not.
const LIMIT: Score = 10_000;

const MAGIC: &[u8; 8] = b"tgnetwrk";
const VERSION: u32 = 1;
/// Bytes up to the record.
const HEAD: usize = 36;
/// Widths beyond this are damage.
const WIDEST: usize = 4096;
/// So is a longer record, in bytes.
const LONGEST_RECORD: usize = 1 << 16;

/// The network that is part of the program, if there is one.
#[cfg(network)]
pub(super) const EMBEDDED: Option<&[u8]> = Some(include_bytes!(env!("TEGENSPEL_NETWORK")));
/// There is none.
#[cfg(not(network))]
pub(super) const EMBEDDED: Option<&[u8]> = None;

/// Why bytes are no network for this program.
#[derive(Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// The file cannot be read.
    Unreadable(io::ErrorKind),
    /// It begins otherwise.
    NoNetwork,
    /// It is shorter or longer than it says: bytes expected, and there.
    Length(usize, usize),
    /// Its hash is another: it was changed.
    Damaged,
    /// A version of the format that this program does not know.
    Version(u32),
    /// A shape that this program does not compute: width, inputs, outputs.
    Shape(u32, u32, u32),
    /// A weight is so large that sums would overflow.
    Overflow,
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(kind) => write!(f, "the network cannot be read: {kind}"),
            Self::NoNetwork => f.write_str("this is no network of Tegenspel"),
            Self::Length(expected, found) => {
                write!(f, "the network has {found} bytes instead of {expected}")
            }
            Self::Damaged => f.write_str("the network is damaged: its hash does not fit"),
            Self::Version(version) => write!(f, "networks of version {version} are not known here"),
            Self::Shape(width, inputs, outputs) => {
                write!(f, "networks of shape {inputs}, {width}, {outputs} are not known here")
            }
            Self::Overflow => f.write_str("the network's weights are too large"),
        }
    }
}

impl std::error::Error for NetworkError {}

/// The numbers of a network, in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// Neurons of the hidden layer for each side: a multiple of 32.
    pub width: usize,
    /// Hidden weights by input, times 255.
    pub hidden: Vec<i16>,
    /// Hidden biases, times 255.
    pub biases: Vec<i16>,
    /// Output weights by layer, side (to move first) and neuron, times 64.
    pub outputs: Vec<i16>,
    /// Output biases, times 255 · 64.
    pub output_biases: Vec<i32>,
}

/// A network that can be asked.
#[derive(Debug)]
pub struct Network {
    /// How it was made.
    pub record: String,
    /// Blocks of a row.
    pub(super) blocks: usize,
    /// Rows of hidden weights.
    hidden: Vec<Block>,
    pub(super) biases: Vec<Block>,
    outputs: Vec<Block>,
    output_biases: [i32; BUCKETS],
    pub(super) level: Level,
}

impl Network {
    /// The network that is part of the program.
    pub fn embedded() -> Option<&'static Arc<Self>> {
        static NETWORK: OnceCell<Arc<Network>> = OnceCell::new();
        let network = NETWORK.get_or_try_init(|| {
            let bytes = EMBEDDED.ok_or(NetworkError::NoNetwork)?;
            Self::from_bytes(bytes).map(Arc::new)
        });
        network.ok()
    }

    /// The network in a file.
    ///
    /// # Errors
    /// If it cannot be read or is none.
    pub fn load(path: &Path) -> Result<Self, NetworkError> {
        let bytes = fs::read(path).map_err(|error| NetworkError::Unreadable(error.kind()))?;
        Self::from_bytes(&bytes)
    }

    /// The network of these numbers.
    ///
    /// # Errors
    /// If there are too few or too many, or they are too large.
    pub fn new(parameters: &Parameters, record: String) -> Result<Self, NetworkError> {
        let width = parameters.width;
        let lengths = [
            (INPUTS * width, parameters.hidden.len()),
            (width, parameters.biases.len()),
            (2 * BUCKETS * width, parameters.outputs.len()),
            (BUCKETS, parameters.output_biases.len()),
        ];
        if width == 0 || width > WIDEST || !width.is_multiple_of(LANES) {
            return Err(NetworkError::Shape(width as u32, INPUTS as u32, BUCKETS as u32));
        }
        if let Some(&(expected, found)) = lengths.iter().find(|(expected, found)| expected != found)
        {
            return Err(NetworkError::Length(expected, found));
        }
        if !fits(parameters) {
            return Err(NetworkError::Overflow);
        }
        let mut output_biases = [0; BUCKETS];
        output_biases.copy_from_slice(&parameters.output_biases);
        Ok(Self {
            record,
            blocks: width / LANES,
            hidden: blocks(&parameters.hidden),
            biases: blocks(&parameters.biases),
            outputs: blocks(&parameters.outputs),
            output_biases,
            level: Level::best(),
        })
    }

    /// Its numbers, as [`Self::new`] takes them.
    pub fn parameters(&self) -> Parameters {
        let numbers = |blocks: &[Block]| blocks.iter().flat_map(|block| block.0).collect();
        Parameters {
            width: self.width(),
            hidden: numbers(&self.hidden),
            biases: numbers(&self.biases),
            outputs: numbers(&self.outputs),
            output_biases: self.output_biases.to_vec(),
        }
    }

    /// The network in these bytes.
    ///
    /// # Errors
    /// If it is none that this program can compute with.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let Some((head, body)) = bytes.split_at_checked(HEAD) else {
            return Err(if bytes.starts_with(MAGIC) {
                NetworkError::Length(HEAD, bytes.len())
            } else {
                NetworkError::NoNetwork
            });
        };
        if !head.starts_with(MAGIC) {
            return Err(NetworkError::NoNetwork);
        }
        let words: Vec<u32> =
            head[16..].as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let &[version, width, inputs, outputs, record] = &words[..] else {
            return Err(NetworkError::NoNetwork);
        };
        if version != VERSION {
            return Err(NetworkError::Version(version));
        }
        let (size, length) = (width as usize, record as usize);
        let known = inputs as usize == INPUTS && outputs as usize == BUCKETS;
        if !known || size == 0 || size > WIDEST || !size.is_multiple_of(LANES) {
            return Err(NetworkError::Shape(width, inputs, outputs));
        }
        let shorts = (INPUTS + 1 + 2 * BUCKETS) * size;
        let expected = HEAD + length + 2 * shorts + 4 * BUCKETS;
        if length > LONGEST_RECORD || bytes.len() != expected {
            return Err(NetworkError::Length(expected, bytes.len()));
        }
        if head[8..16] != fnv1a(&bytes[16..]).to_le_bytes() {
            return Err(NetworkError::Damaged);
        }
        let (record, numbers) = body.split_at(length);
        let (shorts, biases) = numbers.split_at(2 * shorts);
        let shorts: Vec<i16> =
            shorts.as_chunks().0.iter().map(|&b| i16::from_le_bytes(b)).collect();
        let (hidden, rest) = shorts.split_at(INPUTS * size);
        let (hidden_biases, output_weights) = rest.split_at(size);
        let parameters = Parameters {
            width: size,
            hidden: hidden.to_vec(),
            biases: hidden_biases.to_vec(),
            outputs: output_weights.to_vec(),
            output_biases: biases.as_chunks().0.iter().map(|&b| i32::from_le_bytes(b)).collect(),
        };
        Self::new(&parameters, String::from_utf8_lossy(record).into_owned())
    }

    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let shorts = self.hidden.iter().chain(&self.biases).chain(&self.outputs);
        let counts =
            [VERSION, self.width() as u32, INPUTS as u32, BUCKETS as u32, self.record.len() as u32];
        let mut rest: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        rest.extend(self.record.bytes());
        rest.extend(shorts.flat_map(|block| block.0).flat_map(i16::to_le_bytes));
        rest.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        [MAGIC.as_slice(), &fnv1a(&rest).to_le_bytes(), &rest].concat()
    }

    /// Neurons of the hidden layer for each side.
    pub const fn width(&self) -> usize {
        self.blocks * LANES
    }

    /// Its name for the user: shape and hash.
    pub fn name(&self) -> String {
        let bytes = self.to_bytes();
        let hash = u64::from_le_bytes(bytes[8..16].try_into().unwrap_or_default());
        format!("(768 -> {})x2 -> {BUCKETS}, {hash:016x}", self.width())
    }

    /// Hidden weights of an input.
    #[inline(always)]
    pub(super) fn row(&self, input: usize) -> &[Block] {
        &self.hidden[input * self.blocks..(input + 1) * self.blocks]
    }

    /// Centipawns for the side to move, from its own hidden layer and its opponent's, by one of the
    /// output layers.
    #[inline(always)]
    pub(super) fn output<K: Kernel>(&self, us: &[Block], them: &[Block], layer: usize) -> Score {
        let weights = &self.outputs[2 * layer * self.blocks..][..2 * self.blocks];
        let (ours, theirs) = weights.split_at(self.blocks);
        let sum = K::dot(us, ours).wrapping_add(K::dot(them, theirs));
        let value = i64::from(sum / QA + self.output_biases[layer]) * i64::from(SCALE);
        ((value / i64::from(QA * QB)) as Score).clamp(1 - LIMIT, LIMIT - 1)
    }

    /// Centipawns for the side to move, computed from nothing.
    pub fn evaluate(&self, position: &Position) -> Score {
        self.evaluate_men(&men(position), position.side_to_move())
    }

    /// Centipawns for `side`, which is to move, of these men; there is a king of each side.
    pub fn evaluate_men(&self, men: &[(Piece, Square)], side: Color) -> Score {
        self.evaluate_with(men, side, bucket(men.len() as u32))
    }

    /// The same by a given output layer.
    pub(super) fn evaluate_with(
        &self,
        men: &[(Piece, Square)],
        side: Color,
        layer: usize,
    ) -> Score {
        dispatch(self.level, Fresh { network: self, men, side, layer })
    }
}

/// All men of a position.
pub fn men(position: &Position) -> Vec<(Piece, Square)> {
    let squares = position.occupied().into_iter();
    squares.filter_map(|square| position.piece_on(square).map(|piece| (piece, square))).collect()
}

/// An evaluation without memory.
struct Fresh<'a> {
    network: &'a Network,
    men: &'a [(Piece, Square)],
    side: Color,
    layer: usize,
}

impl Work for Fresh<'_> {
    type Output = Score;

    #[inline(always)]
    fn run<K: Kernel>(self) -> Score {
        let [us, them] = [self.side, !self.side].map(|viewer| {
            let mirrored = self.men.iter().any(|&(piece, square)| {
                piece == Piece::new(viewer, PieceKind::King) && is_mirrored(square)
            });
            let mut layer = self.network.biases.clone();
            for &(piece, square) in self.men {
                add(&mut layer, self.network.row(input(viewer, mirrored, piece, square)));
            }
            layer
        });
        self.network.output::<K>(&us, &them, self.layer)
    }
}

/// Whether no sum can overflow.
fn fits(parameters: &Parameters) -> bool {
    let hidden_limit = (LARGEST_WEIGHT * QA as f32).ceil() as u16;
    let output_limit = (LARGEST_WEIGHT * QB as f32).ceil() as u16;
    let hidden = parameters.hidden.iter().chain(&parameters.biases);
    let largest_sum = i64::from(i32::MAX) / i64::from(QA * QA);
    hidden.into_iter().all(|weight| weight.unsigned_abs() <= hidden_limit)
        && parameters.outputs.iter().all(|weight| weight.unsigned_abs() <= output_limit)
        && parameters.outputs.chunks(2 * parameters.width).all(|layer| {
            layer.iter().map(|weight| i64::from(weight.unsigned_abs())).sum::<i64>() <= largest_sum
        })
        && parameters.output_biases.iter().all(|bias| bias.unsigned_abs() < 1 << 24)
}

fn blocks(numbers: &[i16]) -> Vec<Block> {
    numbers.as_chunks().0.iter().map(|&lanes| Block(lanes)).collect()
}

/// Hash of Fowler, Noll and Vo, variant 1a, 64 bits (RFC 9923).
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

//! Two small poker games: Kuhn's (1950) with three cards, and Leduc hold'em (Southey et al. 2005)
//! with six.

use rand::Rng;

use crate::game::{Game, Hidden, Payoffs, Player, Properties, ZeroSum};

/// What a player does, or which card is dealt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PokerMove {
    /// Gives up the hand.
    Fold,
    /// Checks, or calls a bet.
    Call,
    /// Bets, or raises.
    Raise,
    /// Chance deals this card.
    Deal(u8),
}

/// One of the two games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rules {
    cards: u8,
    /// Cards of the same rank, which may pair.
    suits: u8,
    bets: &'static [i32],
    raises: u8,
}

const KUHN: Rules = Rules { cards: 3, suits: 1, bets: &[1], raises: 1 };
const LEDUC: Rules = Rules { cards: 6, suits: 2, bets: &[2, 4], raises: 2 };

/// A position of either game. Each player puts in an ante of 1; the pot goes to the better card, or
/// to whoever is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Poker {
    rules: Rules,
    dealt: Vec<u8>,
    history: Vec<PokerMove>,
    round: usize,
    /// Moves in this round, and raises among them.
    moves: u8,
    raises: u8,
    paid: [i32; 2],
    turn: Player,
    folded: Option<Player>,
}

/// What a player of [`Poker`] knows: his card, the card on the table and the betting.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hand {
    /// Rank of the own card, from 0.
    pub card: u8,
    /// Rank of the table's card, once it is dealt.
    pub table: Option<u8>,
    /// All bets so far, with the table's card as a mark between the rounds.
    pub betting: Vec<PokerMove>,
}

impl Poker {
    /// Kuhn poker: cards 0 to 2, one bet of 1.
    pub fn kuhn() -> Self {
        Self::new(KUHN)
    }

    /// Leduc hold'em: ranks 0 to 2 in two suits, bets of 2, then 4 once a card lies on the table; at most
    /// two raises a round.
    pub fn leduc() -> Self {
        Self::new(LEDUC)
    }

    const fn new(rules: Rules) -> Self {
        Self {
            rules,
            dealt: vec![],
            history: vec![],
            round: 0,
            moves: 0,
            raises: 0,
            paid: [1, 1],
            turn: 0,
            folded: None,
        }
    }

    /// The cards dealt: first player, second player, table.
    pub fn cards(&self) -> &[u8] {
        &self.dealt
    }

    fn rank(&self, index: usize) -> Option<u8> {
        self.dealt.get(index).map(|card| card / self.rules.suits)
    }

    fn round_is_over(&self) -> bool {
        self.moves >= 2 && self.paid[0] == self.paid[1]
    }

    fn deals(&self) -> bool {
        self.dealt.len() < 2 + self.round
    }

    /// Whose cards are better; 0 if they are equal.
    fn showdown(&self) -> f64 {
        let strength = |player| (self.rank(player) == self.rank(2), self.rank(player));
        match strength(0).cmp(&strength(1)) {
            std::cmp::Ordering::Less => -1.0,
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => 1.0,
        }
    }
}

impl Game for Poker {
    type Move = PokerMove;
    type Moves = Vec<PokerMove>;

    fn properties(&self) -> Properties {
        Properties { chance: true, perfect_information: false, ..Properties::CLASSICAL }
    }

    fn to_move(&self) -> Player {
        self.turn
    }

    fn legal_moves(&self) -> Vec<PokerMove> {
        if self.deals() {
            return self.chance().into_iter().flatten().map(|(mv, _)| mv).collect();
        }
        let mut moves = Vec::with_capacity(3);
        if self.paid[self.turn] < self.paid[1 - self.turn] {
            moves.push(PokerMove::Fold);
        }
        moves.push(PokerMove::Call);
        if self.raises < self.rules.raises {
            moves.push(PokerMove::Raise);
        }
        moves
    }

    fn play(&mut self, mv: PokerMove) {
        match mv {
            PokerMove::Deal(card) => {
                self.dealt.push(card);
                if self.dealt.len() > 2 {
                    self.history.push(PokerMove::Deal(card / self.rules.suits));
                }
                return;
            }
            PokerMove::Fold => self.folded = Some(self.turn),
            PokerMove::Call => self.paid[self.turn] = self.paid[1 - self.turn],
            PokerMove::Raise => {
                self.paid[self.turn] = self.paid[1 - self.turn] + self.rules.bets[self.round];
                self.raises += 1;
            }
        }
        self.history.push(mv);
        self.moves += 1;
        self.turn = 1 - self.turn;
        if self.round_is_over() && self.round + 1 < self.rules.bets.len() && self.folded.is_none() {
            (self.round, self.moves, self.raises, self.turn) = (self.round + 1, 0, 0, 0);
        }
    }

    fn outcome(&self) -> Option<Payoffs> {
        if let Some(folded) = self.folded {
            let lost = f64::from(self.paid[folded]);
            return Some(Payoffs::zero_sum(if folded == 0 { -lost } else { lost }));
        }
        let last = self.round + 1 == self.rules.bets.len() && !self.deals();
        (last && self.round_is_over())
            .then(|| Payoffs::zero_sum(self.showdown() * f64::from(self.paid[0])))
    }

    fn chance(&self) -> Option<Vec<(PokerMove, f64)>> {
        let left: Vec<u8> =
            (0..self.rules.cards).filter(|card| !self.dealt.contains(card)).collect();
        let even = 1.0 / left.len() as f64;
        self.deals().then(|| left.into_iter().map(|card| (PokerMove::Deal(card), even)).collect())
    }

    fn utility_bounds(&self) -> (f64, f64) {
        let most: i32 = self.rules.bets.iter().map(|bet| bet * i32::from(self.rules.raises)).sum();
        (-f64::from(1 + most), f64::from(1 + most))
    }
}

impl ZeroSum for Poker {}

impl Hidden for Poker {
    type Information = Hand;

    fn information(&self, player: Player) -> Hand {
        Hand {
            card: self.rank(player).unwrap_or_default(),
            table: self.rank(2),
            betting: self.history.clone(),
        }
    }

    fn resample<R: Rng>(&self, player: Player, rng: &mut R) -> Self {
        use rand::RngExt;
        let mut deal = self.clone();
        let other = 1 - player;
        if self.dealt.len() > other {
            let unseen: Vec<u8> = (0..self.rules.cards)
                .filter(|card| {
                    let place = self.dealt.iter().position(|dealt| dealt == card);
                    place.is_none_or(|place| place == other)
                })
                .collect();
            deal.dealt[other] = unseen[rng.random_range(..unseen.len())];
        }
        deal
    }
}

impl std::fmt::Display for Poker {
    /// What the player to move knows; both cards once they are shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let card = |player| self.rank(player).unwrap_or_default();
        match self.outcome() {
            None if !self.deals() => write!(f, "card {}, ", card(self.turn))?,
            Some(_) if self.folded.is_none() => write!(f, "cards {} and {}, ", card(0), card(1))?,
            None | Some(_) => {}
        }
        writeln!(f, "paid {} and {}, {:?}", self.paid[0], self.paid[1], self.history)
    }
}

//! Rule sets: what decides legality and the score, under the names that GUIs use.

use std::fmt::Write;

/// Which repetitions are forbidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ko {
    /// A single stone may not be retaken at once.
    Simple,
    /// No earlier arrangement of stones.
    Positional,
    /// No earlier arrangement of stones with the same player to move.
    Situational,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scoring {
    /// Stones and surrounded points.
    Area,
    /// Surrounded points and prisoners.
    Territory,
}

/// Points White gets for Black's handicap stones, since each is also a point of area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handicap {
    /// None.
    None,
    /// One for each stone.
    Each,
    /// One for each but the first (AGA).
    EachButOne,
}

/// A rule set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Repetition.
    pub ko: Ko,
    /// Counting.
    pub scoring: Scoring,
    /// Whether a chain of two or more may take its own last liberty.
    pub suicide: bool,
    /// Compensation for handicap.
    pub handicap: Handicap,
    /// Whether dead stones need not be captured before passing.
    pub friendly_pass: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self::CHINESE
    }
}

impl Rules {
    /// Tromp and Taylor, "The game of Go" (1995).
    pub const TROMP_TAYLOR: Self = Self {
        ko: Ko::Positional,
        scoring: Scoring::Area,
        suicide: true,
        handicap: Handicap::None,
        friendly_pass: false,
    };
    /// Chinese rules as go servers play them: positional superko.
    pub const CHINESE: Self = Self {
        ko: Ko::Positional,
        scoring: Scoring::Area,
        suicide: false,
        handicap: Handicap::Each,
        friendly_pass: true,
    };
    /// American Go Association (1991).
    pub const AGA: Self =
        Self { ko: Ko::Situational, handicap: Handicap::EachButOne, ..Self::CHINESE };
    /// New Zealand Go Society.
    pub const NEW_ZEALAND: Self =
        Self { ko: Ko::Situational, suicide: true, handicap: Handicap::None, ..Self::CHINESE };
    /// Nihon Ki-in (1989), as far as counting goes; a dispute is played out under area rules.
    pub const JAPANESE: Self = Self {
        ko: Ko::Simple,
        scoring: Scoring::Territory,
        handicap: Handicap::None,
        ..Self::CHINESE
    };

    /// Reads a name (`chinese`, `tromp-taylor`, …) or a JSON object of `KataGo`'s keys.
    ///
    /// # Errors
    /// The word that was not understood or cannot be played.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim().trim_matches('"');
        if text.starts_with('{') {
            return Self::parse_json(text);
        }
        match text.to_ascii_lowercase().replace('_', "-").as_str() {
            "tromp-taylor" | "tt" | "cgos" => Ok(Self::TROMP_TAYLOR),
            "chinese" | "chinese-ogs" | "chinese-kgs" | "area" => Ok(Self::CHINESE),
            "aga" | "bga" | "french" | "aga-button" if !text.ends_with("button") => Ok(Self::AGA),
            "new-zealand" | "newzealand" | "nz" => Ok(Self::NEW_ZEALAND),
            "japanese" | "korean" | "territory" => Ok(Self::JAPANESE),
            other => Err(format!("unknown rules '{other}'")),
        }
    }

    fn parse_json(text: &str) -> Result<Self, String> {
        let inner = text
            .trim()
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .ok_or("a JSON object ends with '}'")?;
        let mut rules = Self::CHINESE;
        for pair in inner.split(',').filter(|pair| !pair.trim().is_empty()) {
            let (key, value) = pair.split_once(':').ok_or("a JSON pair has a ':'")?;
            let strip = |word: &str| word.trim().trim_matches('"').to_owned();
            rules.set(&strip(key), &strip(value))?;
        }
        Ok(rules)
    }

    /// Changes one rule by `KataGo`'s name for it.
    ///
    /// # Errors
    /// The key or value that was not understood or cannot be played; nothing is changed then.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let bad = || format!("unknown or unsupported value '{value}' of rule '{key}'");
        let boolean = || value.to_ascii_lowercase().parse::<bool>().map_err(|_| bad());
        match key {
            "ko" | "koRule" => {
                self.ko = match value.to_ascii_uppercase().as_str() {
                    "SIMPLE" => Ko::Simple,
                    "POSITIONAL" => Ko::Positional,
                    "SITUATIONAL" => Ko::Situational,
                    _ => return Err(bad()),
                };
            }
            "scoring" | "scoringRule" => {
                self.scoring = match value.to_ascii_uppercase().as_str() {
                    "AREA" => Scoring::Area,
                    "TERRITORY" => Scoring::Territory,
                    _ => return Err(bad()),
                };
            }
            "suicide" | "multiStoneSuicideLegal" => self.suicide = boolean()?,
            "whiteHandicapBonus" => {
                self.handicap = match value {
                    "0" => Handicap::None,
                    "N" => Handicap::Each,
                    "N-1" => Handicap::EachButOne,
                    _ => return Err(bad()),
                };
            }
            "friendlyPassOk" => self.friendly_pass = boolean()?,
            "tax" | "taxRule" => match value.to_ascii_uppercase().as_str() {
                "NONE" | "SEKI" => {}
                _ => return Err(bad()),
            },
            "hasButton" if !boolean()? => {}
            "komi" => {}
            _ => return Err(bad()),
        }
        Ok(())
    }

    /// As `KataGo`'s `kata-get-rules` writes it.
    pub fn to_json(self) -> String {
        let mut text = String::from("{\"friendlyPassOk\":");
        let ko = match self.ko {
            Ko::Simple => "SIMPLE",
            Ko::Positional => "POSITIONAL",
            Ko::Situational => "SITUATIONAL",
        };
        let (scoring, tax) = match self.scoring {
            Scoring::Area => ("AREA", "NONE"),
            Scoring::Territory => ("TERRITORY", "SEKI"),
        };
        let bonus = match self.handicap {
            Handicap::None => "0",
            Handicap::Each => "N",
            Handicap::EachButOne => "N-1",
        };
        let _ = write!(
            text,
            "{},\"hasButton\":false,\"ko\":\"{ko}\",\"scoring\":\"{scoring}\",\"suicide\":{},\
             \"tax\":\"{tax}\",\"whiteHandicapBonus\":\"{bonus}\"}}",
            self.friendly_pass, self.suicide
        );
        text
    }

    /// Points White receives for `stones` handicap stones.
    pub const fn handicap_bonus(self, stones: usize) -> f32 {
        match self.handicap {
            Handicap::None => 0.0,
            Handicap::Each => stones as f32,
            Handicap::EachButOne => stones.saturating_sub(1) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_written() {
        for name in ["tromp-taylor", "chinese", "aga", "new_zealand", "japanese"] {
            let rules = Rules::parse(name).unwrap();
            assert_eq!(Rules::parse(&rules.to_json()), Ok(rules), "{name}");
        }
    }

    #[test]
    fn rules_that_cannot_be_played_are_refused() {
        for text in ["stone-scoring", "{\"tax\":\"ALL\"}", "{\"hasButton\":true}", "{", ""] {
            assert!(Rules::parse(text).is_err(), "{text}");
        }
    }
}

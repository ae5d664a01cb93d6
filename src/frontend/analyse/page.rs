//! The page: everything in one file, to be opened without a network.

use serde_json::{Value, json};

use super::{Analysed, game::line_words, judge::expectation};
use crate::chess::Color;

const PAGE: &str = include_str!("page.html");
const BOARD: &str = include_str!("chessground/chessground.min.js");
const STYLES: [&str; 3] = [
    include_str!("chessground/chessground.base.css"),
    include_str!("chessground/chessground.brown.css"),
    include_str!("chessground/chessground.cburnett.css"),
];

/// The page of a file of games.
pub(super) fn write(title: &str, games: &[Analysed]) -> String {
    let games: Vec<Value> = games.iter().map(game).collect();
    // No text of a game may end the script that it stands in.
    let data = Value::from(games).to_string().replace('<', "\\u003c");
    PAGE.replace("{{title}}", &escaped(title))
        .replace("/*{{styles}}*/", &STYLES.join("\n"))
        .replace("/*{{board}}*/", &board())
        .replace("\"{{data}}\"", &data)
}

/// The board's script as a value: it exports by a name of its own what only an import could use, and
/// its other names would clash with ours.
fn board() -> String {
    let (body, exports) = BOARD.rsplit_once("export{").unwrap_or((BOARD, ""));
    let name = exports.split([',', '}']).find_map(|part| part.strip_suffix(" as Chessground"));
    format!("const Chessground=(()=>{{{body}return {};}})();", name.unwrap_or("null"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn game(analysed: &Analysed) -> Value {
    let game = &analysed.game;
    let tags: Value = game.tags.iter().map(|(k, v)| (k.clone(), Value::from(v.clone()))).collect();
    let plies: Vec<Value> = (0..analysed.positions.len()).map(|ply| point(analysed, ply)).collect();
    json!({
        "tags": tags,
        "result": game.result,
        "accuracy": analysed.accuracies(),
        "plies": plies,
    })
}

/// The position after `ply` moves, and the move that led to it.
fn point(analysed: &Analysed, ply: usize) -> Value {
    let position = &analysed.positions[ply];
    let score = analysed.evaluations[ply].score;
    let own = expectation(position, score);
    let white = position.side_to_move() == Color::White;
    let mut point = json!({
        "fen": position.to_fen(false),
        "check": position.in_check(),
        "eval": analysed.eval(ply),
        "white": if white { own } else { 1.0 - own },
        "best": line_words(position, analysed.line(ply)).join(" "),
        "arrow": analysed.line(ply).first().map(|mv| [mv.from().to_string(), mv.to().to_string()]),
    });
    if let Some(before) = ply.checked_sub(1) {
        let played = &analysed.game.moves[before];
        let from = &analysed.positions[before];
        point["san"] = from.san(played.mv).into();
        point["number"] = from.fullmove_number().into();
        point["black"] = (from.side_to_move() == Color::Black).into();
        point["last"] = json!([played.mv.from().to_string(), played.mv.to().to_string()]);
        point["verdict"] = analysed.judgements[before].verdict.word().into();
        point["comment"] = played.comments.join(" ").into();
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_is_there_under_its_name() {
        let board = board();
        assert!(!board.contains("return null;})();") && !board.contains("export{"));
    }

    #[test]
    fn nothing_is_fetched_and_no_place_is_left_open() {
        let page = write("a<b", &[]);
        assert!(page.contains("a&lt;b") && !page.contains("{{"));
        assert!(!page.contains("src=\"http") && !page.contains("@import"));
    }
}

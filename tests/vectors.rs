//! Worked examples of the field, recomputed through the public library. Each case is answered from its
//! input alone; what it expects is compared afterwards, key by key. `data/vectors.json` tells its
//! conventions.

use std::{fs, path::Path};

use rand::{RngExt, SeedableRng, rngs::SmallRng};
use serde_json::{Map, Value, json};

mod chance;
mod counting;
mod exchange;
mod sampling;
mod trees;

/// What the library says, by the keys of a case's `expect`.
pub(crate) type Answers = Map<String, Value>;

pub(crate) fn cases() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vectors.json");
    let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    file["cases"].as_array().unwrap().clone()
}

/// Makes answers out of `key => value` lists.
macro_rules! answers {
    ($($key:literal => $value:expr),* $(,)?) => {{
        let mut answers = serde_json::Map::new();
        $(answers.insert($key.to_owned(), serde_json::json!($value));)*
        answers
    }};
}
pub(crate) use answers;

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn answer(case: &Value) -> Answers {
    let kind = case["kind"].as_str().unwrap();
    let input = &case["input"];
    let found = trees::answer(kind, input)
        .or_else(|| chance::answer(kind, input))
        .or_else(|| sampling::answer(kind, input))
        .or_else(|| counting::answer(kind, input))
        .or_else(|| exchange::answer(kind, input, &case["id"]));
    found.unwrap_or_else(|| panic!("no answer to the kind '{kind}'"))
}

/// How far a number may be off: printed figures are rounded.
fn tolerance(key: &str) -> f64 {
    match key.rsplit('_').next() {
        Some("3dp") => 5.001e-4,
        Some("2dp") => 5.001e-3,
        Some("1dp") => 5.001e-2,
        _ => 1e-9,
    }
}

fn same(expected: &Value, found: &Value, tolerance: f64) -> bool {
    match (expected, found) {
        (Value::Number(a), Value::Number(b)) => {
            (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() <= tolerance
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, tolerance))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b, tolerance)))
        }
        _ => expected == found,
    }
}

/// The keys of `expect` that `found` does not bear out.
fn failures(expect: &Value, found: &Answers) -> Vec<String> {
    let expect = expect.as_object().unwrap();
    expect
        .iter()
        .filter(|(key, value)| {
            !found.get(*key).is_some_and(|found| same(value, found, tolerance(key)))
        })
        .map(|(key, value)| format!("{key}: expected {value}, found {:?}", found.get(key)))
        .collect()
}

#[test]
fn every_worked_example_is_answered_as_published() {
    let cases = cases();
    assert_eq!(cases.len(), 137);
    let mut values = 0;
    for case in &cases {
        let failed = failures(&case["expect"], &answer(case));
        assert!(failed.is_empty(), "{}: {failed:#?}", case["id"]);
        values += case["expect"].as_object().unwrap().len();
    }
    assert_eq!(values, 359);
}

/// The check above can fail: ten expectations altered at random are ten failures.
#[test]
fn ten_altered_expectations_are_ten_failures() {
    let mut rng = SmallRng::seed_from_u64(10);
    let mut cases = cases();
    let mut failed = 0;
    for _ in 0..10 {
        let mut case = cases.swap_remove(rng.random_range(..cases.len()));
        let expect = case["expect"].as_object_mut().unwrap();
        let key = expect.keys().nth(rng.random_range(..expect.len())).unwrap().clone();
        alter(&mut expect[&key]);
        failed += failures(&case["expect"], &answer(&case)).len();
    }
    assert_eq!(failed, 10);
}

fn alter(value: &mut Value) {
    match value {
        Value::Null => *value = json!(0),
        Value::Bool(on) => *on = !*on,
        Value::Number(number) => *value = json!(number.as_f64().unwrap() + 1.0),
        Value::String(text) => text.push('x'),
        Value::Array(items) => match items.last_mut() {
            Some(last) => alter(last),
            None => items.push(json!(0)),
        },
        Value::Object(items) => alter(items.values_mut().next().unwrap()),
    }
}

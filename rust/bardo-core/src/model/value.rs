//! A JSON-like value: the decoded payload of an event. Numbers in it feed the baselines.

use serde::{Deserialize, Serialize};

/// Null, booleans, 64-bit integers, floats (NaN and infinities included), text, lists and ordered maps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Nothing.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// A number.
    Float(f64),
    /// A string.
    Text(String),
    /// A sequence.
    List(Vec<Value>),
    /// Names and values, in the order they were given.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// Deepest nesting that is accepted; deeper values are refused at the boundary so that no walk can overflow the stack.
    pub const MAX_DEPTH: usize = 64;

    /// Calls `visit(path, number)` for every finite number of a map (nested names joined by `.`), skipping lists:
    /// a list has no name of its own to keep a statistic under.
    pub fn numbers(&self, visit: &mut dyn FnMut(&str, f64)) {
        fn walk(value: &Value, path: &mut String, visit: &mut dyn FnMut(&str, f64)) {
            match value {
                Value::Int(number) => visit(path, *number as f64),
                Value::Float(number) if number.is_finite() => visit(path, *number),
                Value::Map(entries) => {
                    for (name, inner) in entries {
                        let length = path.len();
                        if length > 0 {
                            path.push('.');
                        }
                        path.push_str(name);
                        walk(inner, path, visit);
                        path.truncate(length);
                    }
                }
                _ => {}
            }
        }
        if matches!(self, Value::Map(_)) {
            walk(self, &mut String::new(), visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_named_by_their_path_and_must_be_finite() {
        let value = Value::Map(vec![
            ("price".into(), Value::Float(2.5)),
            ("bad".into(), Value::Float(f64::NAN)),
            ("gas".into(), Value::Map(vec![("used".into(), Value::Int(21_000))])),
            ("list".into(), Value::List(vec![Value::Int(1)])),
        ]);
        let mut seen = Vec::new();
        value.numbers(&mut |path, number| seen.push((path.to_owned(), number)));
        assert_eq!(seen, [("price".to_owned(), 2.5), ("gas.used".to_owned(), 21_000.0)]);
    }
}

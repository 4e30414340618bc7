//! JSON-like value: the decoded payload of an event. Its numbers are the input of the baselines.

use serde::{Deserialize, Serialize};

/// Null, booleans, 64-bit integers, floats (NaN and infinities included), text, lists and ordered maps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Null.
    #[default]
    Null,
    /// Boolean.
    Bool(bool),
    /// Signed integer.
    Int(i64),
    /// Floating-point number.
    Float(f64),
    /// String.
    Text(String),
    /// List.
    List(Vec<Value>),
    /// Map in the order of insertion.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// Maximum nesting depth; deeper values are refused at the boundary so that no recursion overflows the stack.
    pub const MAX_DEPTH: usize = 64;

    /// Calls `visit(path, number)` for every finite number of a map (nested names joined by `.`), skipping lists:
    /// the elements of a list have no names to keep statistics under.
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

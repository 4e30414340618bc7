//! Rows of numbers as a markdown table: models read numbers best in columns.

use crate::model::Value;
use crate::{Error, Result};

/// Significant digits of a float in a table; more is noise of binary fractions (0.1 + 0.2).
const SIGNIFICANT_DIGITS: usize = 12;

/// The lines of a table, each ending with a line break: the header of two lines, then one line a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub header: String,
    pub rows: Vec<String>,
}

/// A markdown table of maps; the columns are all names in the order in which they first occur.
pub fn markdown_table(rows: &[Value]) -> Result<String> {
    let table = lines(rows)?;
    Ok(table.header + &table.rows.concat())
}

pub(super) fn lines(rows: &[Value]) -> Result<Table> {
    let mut names: Vec<&str> = Vec::new();
    let mut maps = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let Value::Map(entries) = row else {
            return Err(Error::invalid(
                format!("row {index} of a table is not a mapping"),
                "Pass rows as a list of dicts with the same keys",
            ));
        };
        for (name, _) in entries {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        maps.push(entries);
    }
    if names.is_empty() {
        return Ok(Table { header: String::new(), rows: Vec::new() });
    }
    let line = |cells: &mut dyn Iterator<Item = String>| {
        let mut line = String::from("|");
        for cell in cells {
            line.push_str(&cell);
            line.push('|');
        }
        line.push('\n');
        line
    };
    let header =
        line(&mut names.iter().map(|name| escape(name))) + &line(&mut names.iter().map(|_| "---".to_owned()));
    let rows = maps.iter().map(|entries| {
        line(&mut names.iter().map(|name| {
            entries.iter().find(|(key, _)| key == name).map_or_else(String::new, |(_, value)| cell(value))
        }))
    });
    Ok(Table { header, rows: rows.collect() })
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(flag) => flag.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => float(*number),
        Value::Text(text) => escape(text),
        Value::List(items) => items.iter().map(cell).collect::<Vec<_>>().join(", "),
        Value::Map(entries) => entries
            .iter()
            .map(|(name, value)| format!("{}: {}", escape(name), cell(value)))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// The shortest decimal of a float, at most [`SIGNIFICANT_DIGITS`] long.
fn float(number: f64) -> String {
    if !number.is_finite() {
        return number.to_string().to_lowercase();
    }
    let rounded: f64 = format!("{number:.*e}", SIGNIFICANT_DIGITS - 1).parse().unwrap_or(number);
    let magnitude = rounded.abs();
    if magnitude != 0.0 && !(1e-6..1e15).contains(&magnitude) {
        format!("{rounded:e}")
    } else {
        rounded.to_string()
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '|' => escaped.push_str("\\|"),
            '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' | '\n' | '\r' => escaped.push(' '),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(entries: &[(&str, Value)]) -> Value {
        Value::Map(entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
    }

    #[test]
    fn rows_become_columns_and_missing_cells_stay_empty() {
        let rows = [
            row(&[("pool", Value::Text("ETH|USDC".into())), ("tvl", Value::Float(0.1 + 0.2))]),
            row(&[("pool", Value::Text("a\nb".into())), ("fee", Value::Int(5))]),
        ];
        assert_eq!(
            markdown_table(&rows).unwrap(),
            "|pool|tvl|fee|\n|---|---|---|\n|ETH\\|USDC|0.3||\n|a b||5|\n"
        );
    }

    #[test]
    fn numbers_keep_twelve_digits_and_never_turn_into_another_number() {
        assert_eq!(float(1234.5), "1234.5");
        assert_eq!(float(1e-9), "1e-9");
        assert_eq!(float(-2.5e20), "-2.5e20");
        assert_eq!(float(f64::NAN), "nan");
        assert_eq!(float(123_456_789_012.0), "123456789012");
    }

    #[test]
    fn a_row_that_is_no_mapping_is_refused() {
        assert!(markdown_table(&[Value::Int(1)]).is_err());
    }
}

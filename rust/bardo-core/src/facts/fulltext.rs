//! The words by which facts are found.
//!
//! No trigger synchronises them with the texts: before a statement that fires one (or replaces rows, or returns some), SQLite
//! has FTS5 write all it has gathered, so that the statement can be taken back alone. A pass that rewords a hundred
//! facts would write and merge a hundred segments where one is enough.

use std::borrow::Cow;

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, OptionalExtension, params};

use super::sqlite::Step;
use crate::model::FactKind;

/// Lets a new fact be found.
pub(super) fn enter(connection: &Connection, serial: i64, kind: FactKind, text: &str) -> Step<()> {
    connection
        .prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?
        .execute(params![serial, findable(kind.name(), text)])?;
    Ok(())
}

/// Lets a fact be found by a text that is about to take the place of the stored one, and no longer by that.
pub(super) fn reword(connection: &Connection, serial: i64, kind: FactKind, text: &str) -> Step<()> {
    if stored(connection, serial)?.is_some_and(|stored| stored != findable(kind.name(), text)) {
        strike(connection, serial)?;
        enter(connection, serial, kind, text)?;
    }
    Ok(())
}

/// Lets a fact be found no longer.
pub(super) fn strike(connection: &Connection, serial: i64) -> Step<()> {
    if let Some(stored) = stored(connection, serial)? {
        connection
            .prepare_cached("INSERT INTO words (words, rowid, text) VALUES ('delete', ?1, ?2)")?
            .execute(params![serial, stored])?;
    }
    Ok(())
}

fn stored(connection: &Connection, serial: i64) -> Step<Option<String>> {
    Ok(connection
        .prepare_cached("SELECT text FROM findable WHERE serial = ?1")?
        .query_row([serial], |row| row.get(0))
        .optional()?)
}

/// Searchable part of a fact's text. The numbers of a baseline move with each pass and are never asked for:
/// without them its words stay as they are.
fn findable<'text>(kind: &str, text: &'text str) -> Cow<'text, str> {
    if kind != FactKind::Baseline.name() {
        return Cow::Borrowed(text);
    }
    let is_number = |word: &&str| word.trim_matches(['(', ')', ',', ';']).parse::<f64>().is_ok();
    let words: Vec<&str> = text.split_whitespace().filter(|word| !is_number(word)).collect();
    Cow::Owned(words.join(" "))
}

/// Registers `findable(kind, text)` as an SQL function, with which the index is rebuilt.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("findable", 2, flags, |context: &Context<'_>| {
        let kind: String = context.get(0)?;
        let text: String = context.get(1)?;
        Ok(findable(&kind, &text).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::delete::delete;
    use super::super::rows::require;
    use super::super::store::FactStore;
    use super::*;
    use crate::facts::filter::FactOptions;
    use crate::facts::filter::Retention;
    use crate::model::Fact;

    #[test]
    fn a_baseline_is_found_by_what_it_is_about_and_not_by_its_numbers() {
        let text =
            "sp500.return_1d: mean -0.0003, sd 1.2e-5 over only 3 observations (min -0.09, max 1.000e308)";
        assert_eq!(findable("baseline", text), "sp500.return_1d: mean sd over only observations (min max");
        assert_eq!(findable("insight", text), text);
    }

    /// A fact's number, whether it is a baseline (when it is born), and its new text; `None` deletes it.
    type Act = (usize, bool, Option<String>);

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        let text = prop::option::weighted(
            0.8,
            "([a-d]{1,3}|[0-9.]{1,4}|é|\u{1F989})( [a-d]{1,2}| -?[0-9]{1,2}[,;)]?){0,6}",
        );
        prop::collection::vec((0..6_usize, any::<bool>(), text), 1..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn the_index_holds_exactly_what_the_facts_are_found_by(acts in acts()) {
            let folder = tempfile::tempdir().unwrap();
            let options = FactOptions {
                agent: "a".to_owned(), seed: 1, now: 0, create: true, retention: Retention::default(),
            };
            let store = FactStore::open(&folder.path().join("facts.db"), &options).unwrap();
            let mut ids = [None; 6];
            for (tick, (place, is_baseline, text)) in acts.into_iter().enumerate() {
                store.write(|writer| {
                    match (ids[place], text) {
                        (None, Some(text)) => {
                            let kind = if is_baseline { FactKind::Baseline } else { FactKind::Insight };
                            let mut fact = store.initial_state(&Fact::new(kind, text), 0, 0);
                            writer.insert(&mut fact)?;
                            ids[place] = Some(fact.id);
                        }
                        (Some(id), Some(text)) => {
                            let mut stored = require(&writer.transaction, id)?;
                            stored.fact.text = text;
                            writer.update(&stored, tick as u64)?;
                        }
                        (Some(id), None) => {
                            delete(writer, &require(&writer.transaction, id)?)?;
                            ids[place] = None;
                        }
                        (None, None) => {}
                    }
                    Ok(())
                }).unwrap();
            }
            store
                .with(|connection| {
                    // With rank 1 FTS5 compares the index with what it was made from, row by row.
                    Ok(connection.execute_batch("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)")?)
                })
                .unwrap();
        }
    }
}

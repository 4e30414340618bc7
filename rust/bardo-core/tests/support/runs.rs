//! Rows of schema 2 taken apart by what its page of documentation says, and laid out as schema 1 kept them.

// A helper of a test fails by panicking, and each test file uses its own part.
#![allow(dead_code, clippy::unwrap_used)]

use std::path::Path;

use redb::{Database, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};

fn number(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

/// The entries of a row with keys of `N` bytes.
fn entries<const N: usize>(mut run: &[u8]) -> Vec<([u8; N], Vec<u8>)> {
    let (mut key, mut found) = ([0; N], Vec::new());
    while let Some((&shared, mut rest)) = run.split_first() {
        let length = number(&mut rest) as usize;
        let (own, rest) = rest.split_at(N - usize::from(shared));
        key[usize::from(shared)..].copy_from_slice(own);
        let (value, rest) = rest.split_at(length);
        found.push((key, value.to_vec()));
        run = rest;
    }
    found
}

/// Every entry of a table that keeps runs with keys of `N` bytes; none if it is not there.
pub fn all<const N: usize>(view: &ReadTransaction, name: &str) -> Vec<([u8; N], Vec<u8>)> {
    let table = TableDefinition::<&[u8; N], &[u8]>::new(name);
    let Ok(table) = view.open_table(table) else { return Vec::new() };
    table.iter().unwrap().flat_map(|row| entries(row.unwrap().1.value())).collect()
}

/// Copies a closed log of schema 2 to a new file of schema 1.
pub fn lay_out_as_schema_1(from: &Path, to: &Path) {
    let (from, to) = (Database::open(from).unwrap(), Database::create(to).unwrap());
    let (view, transaction) = (from.begin_read().unwrap(), to.begin_write().unwrap());
    let mut episodes = transaction.open_table(TableDefinition::<&[u8; 28], &[u8]>::new("episodes")).unwrap();
    for (key, value) in all::<28>(&view, "episodes") {
        episodes.insert(&key, value.as_slice()).unwrap();
    }
    let place = |tick: u64, index: u64, id: &[u8]| -> [u8; 28] {
        [&tick.to_be_bytes()[..], &(index as u32).to_be_bytes(), id].concat().try_into().unwrap()
    };
    let mut ids = transaction.open_table(TableDefinition::<&[u8; 16], (&[u8; 28], u64)>::new("ids")).unwrap();
    for (id, value) in all::<16>(&view, "ids") {
        let value = &mut value.as_slice();
        let (tick, index, seq) = (number(value), number(value), number(value));
        ids.insert(&id, (&place(tick, index, &id), seq)).unwrap();
    }
    let mut arrivals = transaction.open_table(TableDefinition::<u64, &[u8; 29]>::new("arrivals")).unwrap();
    let mut id_of = std::collections::HashMap::new();
    for (seq, value) in all::<8>(&view, "arrivals") {
        let value = &mut value.as_slice();
        let (tick, index) = (number(value), number(value));
        let id: [u8; 16] = (*value).try_into().unwrap();
        id_of.insert(seq, id);
        let mut arrival = [0; 29];
        arrival[..28].copy_from_slice(&place(tick, index >> 1, &id));
        arrival[28] = (index & 1) as u8;
        arrivals.insert(u64::from_be_bytes(seq), &arrival).unwrap();
    }
    for name in ["vectors", "next_vectors"] {
        let mut vectors = transaction.open_table(TableDefinition::<&[u8; 16], &[u8]>::new(name)).unwrap();
        for (seq, value) in all::<8>(&view, name) {
            vectors.insert(&id_of[&seq], value.as_slice()).unwrap();
        }
    }
    copy(&view, &transaction, TableDefinition::<&str, u64>::new("watermarks"));
    copy(&view, &transaction, TableDefinition::<&str, &[u8]>::new("meta"));
    copy(&view, &transaction, TableDefinition::<&[u8; 16], &[u8]>::new("annotations"));
    copy(&view, &transaction, TableDefinition::<(&str, &[u8; 28]), ()>::new("subjects"));
    copy(&view, &transaction, TableDefinition::<(&str, &[u8; 28]), ()>::new("threads"));
    copy(&view, &transaction, TableDefinition::<u64, &[u8; 16]>::new("verifications"));
    copy(&view, &transaction, TableDefinition::<&[u8; 16], &[u8]>::new("tokens"));
    copy(&view, &transaction, TableDefinition::<&[u8; 16], &[u8]>::new("next_tokens"));
    copy(&view, &transaction, TableDefinition::<u64, i64>::new("tombstones"));
    copy(&view, &transaction, TableDefinition::<u64, &str>::new("intents"));
    let mut meta = transaction.open_table(TableDefinition::<&str, &[u8]>::new("meta")).unwrap();
    meta.insert("schema", 1_u32.to_le_bytes().as_slice()).unwrap();
    for name in ["forgotten", "with_vectors", "staged"] {
        meta.remove(name).unwrap();
    }
    drop((episodes, ids, arrivals, meta));
    transaction.commit().unwrap();
}

fn copy<K: redb::Key + 'static, V: redb::Value + 'static>(
    view: &ReadTransaction,
    transaction: &WriteTransaction,
    table: TableDefinition<'_, K, V>,
) {
    let Ok(from) = view.open_table(table) else { return };
    let mut to = transaction.open_table(table).unwrap();
    for row in from.iter().unwrap() {
        let (key, value) = row.unwrap();
        to.insert(key.value(), value.value()).unwrap();
    }
}

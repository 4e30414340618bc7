//! Names that many rows share, stored once and compared as numbers.

use std::collections::HashMap;

/// Number of a name; 0 stands for no name.
pub type Symbol = u32;

/// Symbol of an empty field.
pub const NO_NAME: Symbol = 0;

/// String interner: names and their numbers.
#[derive(Debug)]
pub struct Interner {
    names: Vec<Box<str>>,
    symbols: HashMap<Box<str>, Symbol>,
}

impl Default for Interner {
    fn default() -> Self {
        Self { names: vec!["".into()], symbols: HashMap::from([("".into(), NO_NAME)]) }
    }
}

impl Interner {
    /// Interner with the names of another one, with their numbers.
    #[must_use]
    pub fn of(names: Vec<Box<str>>) -> Self {
        let symbols = names.iter().cloned().zip(0..).collect();
        Self { names, symbols }
    }

    /// Interns a name: returns its number, new or existing.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(name) {
            return symbol;
        }
        let symbol = self.names.len() as Symbol;
        self.names.push(name.into());
        self.symbols.insert(name.into(), symbol);
        symbol
    }

    /// Interns an optional name.
    pub fn intern_optional(&mut self, name: Option<&str>) -> Symbol {
        name.map_or(NO_NAME, |name| self.intern(name))
    }

    /// The number of an interned name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).copied()
    }

    /// The name of a number.
    #[must_use]
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol as usize]
    }

    /// Every name in the order of its number, the empty one first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }

    /// Approximate size in memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.names.iter().map(|name| 2 * name.len() + 3 * size_of::<Box<str>>()).sum()
    }
}

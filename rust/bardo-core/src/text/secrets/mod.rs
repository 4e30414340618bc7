//! Finds secrets by a linear model over the tokens of a text, their shapes and the words beside them.
//!
//! Each token has some dozens of features, which are hashed (Weinberger et al., ICML 2009) into one table of weights.
//! `benches/python/privacy` fits the weights by logistic regression on labelled lines.

mod context;
mod features;
mod shapes;
mod tagger;
mod tokens;

pub use features::{Features, features};
pub use tagger::{Limits, SecretTagger};

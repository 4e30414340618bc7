//! Readings of texts and episodes without a store, and the decay of confidence.

use bardo_core::consolidate::{self, is_disputed};
use bardo_core::index::lexical;
use bardo_core::index::vectors::Tokens;
use bardo_core::model::decay::{self as forgetting, DecayFactors};
use bardo_core::model::{self, Metadata, Persistence};
use bardo_core::recall::conversation;
use bardo_core::text::same_statement::{self, Overlap};
use bardo_core::text::secrets::{self, Limits};
use bardo_core::text::sentences::{self, MAX_PIECES};
use bardo_core::text::{language, prefilter, stop_words, urls_commands_paths};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arguments::{Episodes, GivenStatement, Matrix, NewFact, Parsed, inner};
use crate::convert::{as_dict, as_tuple};
use crate::errors::IntoPython;
use crate::forward::functions;

functions! {
    /// The texts as they are embedded, then the sentences of those that have several, and how many each has.
    fn spoken_sentences(texts: Vec<String>, speakers: Vec<Option<String>>, limit: usize)
        => Ok(lexical::spoken_sentences(&texts, &speakers, limit));

    /// The sentences of each text, in order; a text of more than `limit` has neighbours joined.
    fn split_sentences(texts: Vec<String>, limit: usize = MAX_PIECES) => {
        let split = |text| sentences::split_sentences(text, limit).into_iter().map(str::to_owned).collect();
        Ok(texts.iter().map(|text| split(text)).collect::<Vec<Vec<_>>>())
    };

    /// The abbreviations of a text whose full stop ends no sentence, as first and last place in characters.
    fn abbreviations(text: &str) => {
        let characters = |bytes: usize| text[..bytes].chars().count();
        let found = bardo_core::text::abbreviations::abbreviations(text).into_iter();
        Ok(found.map(|range| (characters(range.start), characters(range.end))).collect::<Vec<_>>())
    };

    /// The share of each text's words of content that an action has, how many these are, and whether they mean
    /// something else there.
    fn touches(texts: Vec<String>, action: &str)
        => Ok(same_statement::touches(&texts, action));

    /// The stem of each word, and nothing for a function word.
    fn stems(words: Vec<String>) => Ok(same_statement::stems(&words));

    /// Whether a query is about the person who asks it.
    fn asks_of_oneself(query: &str) => Ok(conversation::asks_of_oneself(query));

    /// Whether a newer text speaks against an older one, as far as the words tell.
    fn speaks_against(newer: &str, older: &str) => Ok(is_disputed(older, newer));

    /// Whether two statements give one slot the same value, or deny it, for a common time.
    fn says_same(one: GivenStatement, other: GivenStatement) => Ok(one.0.says_same(&other.0));

    /// Whether two statements cannot both hold.
    fn excludes(one: GivenStatement, other: GivenStatement) => Ok(one.0.excludes(&other.0));

    /// Whether no figure, no name and no negation tells two texts apart.
    fn may_be_same_statement(left: &str, right: &str) => Ok(same_statement::may_be_same_statement(left, right));

    /// The modes whose memories a mode sees, itself among them.
    fn modes_with(mode: &str) => Ok(model::modes_with(mode).into_iter().map(str::to_owned).collect::<Vec<_>>());

    /// A query without the words that say nothing about what is sought, unless it has no other.
    fn without_stop_words(query: &str) => Ok(stop_words::without_stop_words(query));

    /// The web addresses, shell commands and file paths of a text.
    fn findings(text: &str) => Ok(urls_commands_paths::findings(text));

    /// Why a message needs no memory: `emoji`, `small_talk` or `command`; nothing if it has to be read.
    fn triviality(text: &str) => Ok(prefilter::triviality(text).map(prefilter::Triviality::name));

    /// The tokens of a text, by their characters, and the places of their features in the table of weights.
    fn secret_features(text: &str) => {
        let found = secrets::features(text);
        Ok((found.spans, found.places))
    };

    /// Language of a text as its ISO 639-3 code, and the confidence in it; nothing if no letter has a known script.
    fn identify_language(text: &str) => Ok(language::identify_language(text));

    /// The baselines that episodes can have moved.
    fn number_names(episodes: Episodes)
        => Ok(consolidate::number_names(&episodes.0.into_iter().map(|(episode, _)| episode).collect::<Vec<_>>()));

    /// The confidence of a fact at a tick.
    fn confidence_now(fact: NewFact; tick: u64, tau_ticks: f64)
        => Ok(forgetting::confidence_now(&fact.0, tick, forgetting::check_tau(tau_ticks)?));

    /// The retention of a fact at a tick.
    fn retention_now(fact: NewFact; tick: u64, tau_ticks: f64)
        => Ok(forgetting::retention_now(&fact.0, tick, forgetting::check_tau(tau_ticks)?));

    /// The confidence left after `elapsed_ticks` without reinforcement.
    fn decay(confidence: f64, support: u32, elapsed_ticks: u64, tau_ticks: f64; kind: &str = "insight",
        from_death: bool = false, pinned: bool = false, persistence: Option<Parsed<Persistence>> = None) => {
        let persistence = inner(persistence);
        let decay_factors = DecayFactors {
            tau_ticks: forgetting::check_tau(tau_ticks)?, kind: kind.parse()?, from_death, pinned, persistence,
        };
        Ok(forgetting::decay(confidence, support, elapsed_ticks, &decay_factors))
    };

    /// The stability of a fact in ticks.
    fn stability(support: u32, tau_ticks: f64; kind: &str = "insight", from_death: bool = false) => {
        let decay_factors = DecayFactors { tau_ticks: forgetting::check_tau(tau_ticks)?, kind: kind.parse()?, from_death, pinned: false,
            persistence: None };
        Ok(forgetting::stability(support, &decay_factors))
    };
}

as_dict!(Metadata { urls, commands, paths });
as_tuple!(Overlap { share, words, apart });

/// The codes of several texts' tokens, by which late interaction finds them.
#[pyfunction]
pub fn pack_tokens<'py>(
    py: Python<'py>,
    words: Vec<Vec<String>>,
    counts: Vec<Vec<u32>>,
    vectors: Matrix<'_>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let (numbers, dims) = (vectors.numbers(), vectors.dims());
    let packed = py.detach(|| Tokens::pack_all(&words, &counts, numbers, dims)).into_python()?;
    Ok(packed.iter().map(|codes| PyBytes::new(py, codes)).collect())
}

/// A linear model of secrets.
#[pyclass(frozen, module = "bardo._core")]
pub struct SecretTagger(secrets::SecretTagger);

#[pymethods]
impl SecretTagger {
    /// Number of weights.
    #[classattr]
    const WEIGHTS: usize = secrets::SecretTagger::WEIGHTS;

    /// Takes one signed byte for each weight, in units of `scale`.
    #[new]
    fn new(weights: &[u8], scale: f64) -> PyResult<Self> {
        let count = weights.len();
        let weights = weights.iter().map(|&byte| byte.cast_signed()).collect();
        secrets::SecretTagger::new(weights, scale).map(Self).ok_or_else(|| {
            let expected = secrets::SecretTagger::WEIGHTS;
            PyValueError::new_err(format!("the table has {count} weights, and the tagger {expected}"))
        })
    }

    /// Each token of a text, by its characters, with the probability that it is part of a secret.
    fn probabilities(&self, text: &str) -> Vec<(usize, usize, f64)> {
        self.0.probabilities(text)
    }

    /// The secrets of a text, by their characters.
    fn secrets(&self, text: &str, alone: f64, beside: f64) -> Vec<(usize, usize)> {
        self.0.secrets(text, Limits { alone, beside })
    }
}

//! Episodes on their way in: texts that share every other field, and what was stored of them, which becomes objects of
//! Python only where somebody looks.

use std::sync::Arc;

use bardo_core::capture::NewEpisode;
use bardo_core::model::Episode;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::convert::{episode_from, episode_into, text};
use crate::errors::invalid;

/// Episodes as they are stored; see `_core.pyi`.
#[pyclass(frozen, module = "bardo._core")]
pub struct StoredEpisodes {
    episodes: Vec<Arc<Episode>>,
}

impl StoredEpisodes {
    /// Episodes in the order in which they were handed over.
    pub const fn new(episodes: Vec<Arc<Episode>>) -> Self {
        Self { episodes }
    }
}

#[pymethods]
impl StoredEpisodes {
    fn __len__(&self) -> usize {
        self.episodes.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyAny>> {
        let episode = self.episodes.get(place).ok_or_else(|| {
            PyIndexError::new_err(format!("{place} is not below {}, their number", self.episodes.len()))
        })?;
        episode_into(py, episode)
    }

    /// The highest tick among them; 0 if there is none.
    #[getter]
    fn last_tick(&self) -> u64 {
        self.episodes.iter().map(|episode| episode.tick).max().unwrap_or(0)
    }
}

/// Episodes out of a mixture of whole ones and of texts, which take every other field from `template`. The ticks
/// are the caller's own (`own_ticks`), or stand for now in what the caller counts (`counted`): of what brings no time of its
/// own.
pub fn drafts_from(
    drafts: &Bound<'_, PyAny>,
    template: Option<&Bound<'_, PyAny>>,
    ticks: &[u64],
    (own_ticks, counted): (bool, bool),
) -> PyResult<Vec<NewEpisode>> {
    let mut shared: Option<Episode> = None;
    let mut episodes = Vec::with_capacity(ticks.len());
    for draft in drafts.try_iter()? {
        let draft = draft?;
        let (episode, has_id) = if draft.cast::<PyString>().is_ok() {
            let like = match &shared {
                Some(like) => like,
                None => shared.insert(shared_fields(template)?),
            };
            (Episode { text: text(&draft, "the text")?, ..like.clone() }, false)
        } else {
            episode_from(&draft)?
        };
        let own_tick = own_ticks || episode.tick != 0 || counted && episode.at == 0;
        episodes.push(NewEpisode { episode, has_id, own_tick });
    }
    if episodes.len() != ticks.len() {
        return Err(invalid(
            format!("{} ticks for {} episodes", ticks.len(), episodes.len()),
            "Pass one for each",
        ));
    }
    for (new, tick) in episodes.iter_mut().zip(ticks) {
        new.episode.tick = *tick;
    }
    Ok(episodes)
}

fn shared_fields(template: Option<&Bound<'_, PyAny>>) -> PyResult<Episode> {
    match template {
        Some(template) => Ok(episode_from(template)?.0),
        None => Err(invalid("a text came without the other fields of its episode", "Pass a template")),
    }
}

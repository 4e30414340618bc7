//! The map of `bardo._core`: which class comes from which stage, and nothing more.

// PyO3 hands arguments over by value, and one keyword of Python is one argument here.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]

mod assemble;
mod bequeath;
mod capture;
mod compiled;
mod consolidate;
mod convert;
mod curator;
mod decay;
mod errors;
mod facts;
mod frames;
mod hot;
mod lookout;
mod matrices;
mod names;
mod recall;
mod sentences;
mod stored;
mod told;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The Rust core of bardo.
#[pyo3::pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::assemble::{
        PyAssembled, PyPart, PyWordModel, assemble, count_tokens, count_tokens_batch, frame_memory,
        neutralise, register_tokenizer, standard_blocks, strip_recalled,
    };

    #[pymodule_export]
    use crate::bequeath::{Selection, confidences_at_birth, select_entries};

    #[pymodule_export]
    use crate::capture::{EpisodeLog, Recorded, check_facts, finish_episodes, journaled, traces};

    #[pymodule_export]
    use crate::compiled::{
        Digest, LintReport, Standing, digest_facts, fact_standing, judge_facts, knowledge_gaps, lint_facts,
        promoted_facts, rehearse_lint,
    };

    #[pymodule_export]
    use crate::consolidate::{Calibration, ReplayBuffer};

    #[pymodule_export]
    use crate::curator::{Curator, CuratorReport, DreamReport};

    #[pymodule_export]
    use crate::decay::{
        confidence_now, decay_confidence, findings, half_life_to_tau, number_names, stability,
    };

    #[pymodule_export]
    use crate::facts::{FactStore, Upserted, arrival_confidence, unfit_facts};

    #[pymodule_export]
    use crate::frames::{PyFrame, PyFrameTracker};

    #[pymodule_export]
    use crate::hot::{
        PyGuests, PyHotSet, embedding_sentences, embedding_text, pack_tokens, without_stop_words,
    };

    #[pymodule_export]
    use crate::lookout::{PyLookout, PyNews};

    #[pymodule_export]
    use crate::names::Names;

    #[pymodule_export]
    use crate::recall::{PyFound, PyHit, PyRecallSettings};

    #[pymodule_export]
    use crate::sentences::{split_sentences, spoken_sentences, stems, touches};

    #[pymodule_export]
    use crate::stored::StoredEpisodes;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

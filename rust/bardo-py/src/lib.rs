//! The map of `bardo._core`: one file per stage, which extracts arguments, releases the GIL, and converts results.

// PyO3 hands arguments over by value, and one keyword of Python is one argument here.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]

mod arguments;
mod assemble;
mod bequeath;
mod capture;
mod consolidate;
mod convert;
mod errors;
mod facts;
mod facts_convert;
mod forward;
mod index;
mod names;
mod recall;
mod records;
mod simulate;
mod text;
mod tokenizers;
mod values;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The Rust core of bardo: everything of a module for each stage.
#[pyo3::pymodule]
#[pyo3(module = "bardo")]
mod _core {
    use pyo3::prelude::*;

    #[pymodule]
    mod _assemble {
        #[pymodule_export]
        use crate::assemble::{
            Assembled, BlockReport, FrameLayout, FrameTracker, WordModel, assemble, copied_starts,
            count_tokens, count_tokens_batch, frame_memory, neutralise, prompt_marks, standard_blocks,
            strip_copies,
        };
        #[pymodule_export]
        use crate::tokenizers::register_tokenizer;
    }

    #[pymodule]
    mod _bequeath {
        #[pymodule_export]
        use crate::bequeath::{
            KnownThings, Selection, Survey, bundle_known, confidences_at_birth, novel_texts, select_entries,
        };
    }

    #[pymodule]
    mod _capture {
        #[pymodule_export]
        use crate::capture::{EpisodeLog, Recorded, StoredEpisodes, finish_episodes, journaled, traces};
    }

    #[pymodule]
    mod _consolidate {
        #[pymodule_export]
        use crate::consolidate::{
            Calibration, Curator, CuratorReport, DreamReport, LintReport, ReplayBuffer, Standing,
            digest_facts, fact_standing, forget_gaps, inherit_gaps, judge_facts, knowledge_gaps, lint_facts,
            promoted_facts, rehearse_lint, replay_inherited, severe_deviations,
        };
        #[pymodule_export]
        const LEAST_OUTCOMES: usize = bardo_core::consolidate::LEAST_OUTCOMES;
    }

    #[pymodule]
    mod _facts {
        #[pymodule_export]
        use crate::facts::{FactStore, arrival_confidence, check_facts, unfit_facts};
        #[pymodule_export]
        use crate::facts_convert::{ActCounts, Digest, Upserted};
        #[pymodule_export]
        const STATISTICS: [&str; 4] = bardo_core::model::STATISTICS;
    }

    #[pymodule]
    mod _index {
        #[pymodule_export]
        use crate::index::{Changes, PyChangeDetector, PyHotSet, PyTransientRows};
    }

    #[pymodule]
    mod _names {
        #[pymodule_export]
        use crate::names::Names;
    }

    #[pymodule]
    mod _recall {
        #[pymodule_export]
        use crate::recall::{Hit, PyFound, PyPeriodWords, PyRecallSettings};
    }

    #[pymodule]
    mod _simulate {
        #[pymodule_export]
        use crate::simulate::simulate_lives;
    }

    #[pymodule]
    mod _text {
        #[pymodule_export]
        use crate::text::{
            SecretTagger, abbreviations, asks_of_oneself, confidence_now, decay, excludes, findings,
            identify_language, may_be_same_statement, modes_with, number_names, pack_tokens, retention_now,
            says_same, secret_features, speaks_against, split_sentences, spoken_sentences, stability, stems,
            touches, triviality, without_stop_words,
        };
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let imported = module.py().import("sys")?.getattr("modules")?;
        let names = module.index()?;
        for item in module.dict().items() {
            let (name, stage): (String, Bound<'_, PyAny>) = item.extract()?;
            let Ok(stage) = stage.cast_into::<PyModule>() else { continue };
            imported.set_item(format!("bardo._core.{name}"), &stage)?;
            for name in stage.index()? {
                module.add(name.extract::<&str>()?, stage.getattr(name.extract::<&str>()?)?)?;
            }
            names.call_method1("remove", (name,))?;
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

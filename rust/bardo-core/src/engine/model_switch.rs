//! Coordinates readers of vectors with a switch of the embedding model: readers wait, or repeat their work
//! (law 10).

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Engine;

/// Counts switches of the embedding model.
#[derive(Debug, Default)]
pub(super) struct ModelSwitch {
    state: Mutex<State>,
    finished: Condvar,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Number of finished switches.
    epoch: u64,
    is_switching: bool,
}

impl ModelSwitch {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a switch under way; returns the number of finished ones.
    fn wait_for_epoch(&self) -> u64 {
        let waited = self.finished.wait_while(self.state(), |state| state.is_switching);
        waited.unwrap_or_else(PoisonError::into_inner).epoch
    }

    fn is_still(&self, epoch: u64) -> bool {
        let state = *self.state();
        !state.is_switching && state.epoch == epoch
    }
}

/// Ends a switch when it goes out of scope, so that a panic leaves no reader waiting.
struct SwitchGuard<'switch>(&'switch ModelSwitch);

impl Drop for SwitchGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_switching = false;
        state.epoch += 1;
        self.0.finished.notify_all();
    }
}

impl Engine {
    /// Runs work that replaces the vectors by those of another model. The caller runs one at a time.
    pub fn switch_model<T>(&self, work: impl FnOnce() -> T) -> T {
        self.model_switch.state().is_switching = true;
        let _guard = SwitchGuard(&self.model_switch);
        work()
    }

    /// Runs work that reads vectors, and repeats it if the model was switched meanwhile. Its answer may then mix two
    /// models, or its failure `is_of_model` may come of the mixture.
    pub fn retry_on_model_switch<T, E>(
        &self,
        mut work: impl FnMut() -> Result<T, E>,
        is_of_model: impl Fn(&E) -> bool,
    ) -> Result<T, E> {
        loop {
            let epoch = self.model_switch.wait_for_epoch();
            let done = work();
            let is_final = match &done {
                Ok(_) => self.model_switch.is_still(epoch),
                Err(error) => !is_of_model(error) || self.model_switch.is_still(epoch),
            };
            if is_final {
                return done;
            }
        }
    }
}

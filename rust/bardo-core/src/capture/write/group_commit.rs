//! Group commit without a thread of its own: the first caller while no commit runs is the leader, and commits for all
//! callers that queued up while the previous leader waited for the disk.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Maximum number of jobs per commit; more would only delay the first of them.
const JOBS_PER_COMMIT: usize = 1024;

/// Queue of jobs `J`, each of which gets one answer `A`.
pub(crate) struct Group<J, A> {
    queue: Mutex<Queue<J, A>>,
    moved_on: Condvar,
}

struct Queue<J, A> {
    waiting: Vec<(J, Arc<Slot<A>>)>,
    led: bool,
}

/// Slot for the answer of the leader to a caller.
struct Slot<A>(Mutex<Option<A>>);

impl<J, A> Group<J, A> {
    /// An empty queue.
    pub fn new() -> Self {
        Self { queue: Mutex::new(Queue { waiting: Vec::new(), led: false }), moved_on: Condvar::new() }
    }

    /// Queues a job and returns its answer. `commit` gets jobs in the order of arrival, with or without this one, and
    /// must return one answer for each; it must not panic.
    pub fn submit(&self, job: J, commit: impl Fn(Vec<J>) -> Vec<A>) -> A {
        let slot = Arc::new(Slot(Mutex::new(None)));
        let mut queue = lock(&self.queue);
        queue.waiting.push((job, Arc::clone(&slot)));
        loop {
            if let Some(answer) = lock(&slot.0).take() {
                return answer;
            }
            if queue.led {
                queue = self.moved_on.wait(queue).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            queue.led = true;
            let taken = queue.waiting.len().min(JOBS_PER_COMMIT);
            let (jobs, slots): (Vec<J>, Vec<_>) = queue.waiting.drain(..taken).unzip();
            drop(queue);
            for (slot, answer) in slots.iter().zip(commit(jobs)) {
                *lock(&slot.0) = Some(answer);
            }
            queue = lock(&self.queue);
            queue.led = false;
            self.moved_on.notify_all();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn callers_who_come_while_a_commit_runs_share_the_next_one() {
        let (group, commits) = (Group::new(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for number in 0..32_usize {
                let (group, commits) = (&group, &commits);
                scope.spawn(move || {
                    let answer = group.submit(number, |jobs: Vec<usize>| {
                        commits.fetch_add(1, Ordering::Relaxed);
                        std::thread::sleep(Duration::from_millis(20));
                        jobs.into_iter().map(|job| job * 2).collect()
                    });
                    assert_eq!(answer, number * 2);
                });
            }
        });
        assert!(commits.load(Ordering::Relaxed) < 16, "{commits:?} commits for 32 callers");
    }
}

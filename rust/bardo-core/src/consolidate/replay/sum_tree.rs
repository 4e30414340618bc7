//! Weights that are drawn from in proportion, changed and added to in logarithmic time.

/// A complete binary tree: every node holds the sum of its two children, the leaves hold the weights (Schaul, Quan,
/// Antonoglou and Silver, Prioritized Experience Replay, 2016, appendix B.2.1). Sums are recomputed along a path instead of
/// adjusted by differences, so that no rounding piles up.
#[derive(Clone, Debug, Default)]
pub struct SumTree {
    /// Root at 1, children of `n` at `2n` and `2n + 1`, leaves in the second half.
    nodes: Vec<f64>,
    length: usize,
}

impl SumTree {
    /// Builds the tree of these weights, in linear time.
    #[must_use]
    pub fn new(weights: &[f64]) -> Self {
        let capacity = weights.len().next_power_of_two().max(1);
        let mut nodes = vec![0.0; 2 * capacity];
        nodes[capacity..capacity + weights.len()].copy_from_slice(weights);
        for node in (1..capacity).rev() {
            nodes[node] = nodes[2 * node] + nodes[2 * node + 1];
        }
        Self { nodes, length: weights.len() }
    }

    /// How many weights there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    const fn capacity(&self) -> usize {
        self.nodes.len() / 2
    }

    /// One of the weights.
    #[must_use]
    pub fn get(&self, index: usize) -> f64 {
        self.nodes[self.capacity() + index]
    }

    /// Changes one of the weights.
    pub fn set(&mut self, index: usize, weight: f64) {
        let mut node = self.capacity() + index;
        self.nodes[node] = weight;
        while node > 1 {
            node /= 2;
            self.nodes[node] = self.nodes[2 * node] + self.nodes[2 * node + 1];
        }
    }

    /// Adds a weight at the end; the tree doubles when it is full.
    pub fn push(&mut self, weight: f64) {
        if self.length == self.capacity() {
            let mut weights = self.nodes.split_off(self.capacity());
            weights.resize((2 * self.length).max(1), 0.0);
            let length = self.length;
            *self = Self { length, ..Self::new(&weights) };
        }
        self.length += 1;
        self.set(self.length - 1, weight);
    }

    /// Sum of the first `count` weights.
    #[must_use]
    pub fn prefix(&self, count: usize) -> f64 {
        let mut node = self.capacity() + count.min(self.length);
        if count >= self.length {
            return self.nodes.get(1).copied().unwrap_or(0.0);
        }
        let mut sum = 0.0;
        while node > 1 {
            if node % 2 == 1 {
                sum += self.nodes[node - 1];
            }
            node /= 2;
        }
        sum
    }

    /// Which weight a point falls on, from 0 to the sum of all: the first whose prefix, itself included, lies beyond it. A
    /// weight of zero is never hit while there are others.
    #[must_use]
    pub fn find(&self, mut point: f64) -> usize {
        let mut node = 1;
        while node < self.capacity() {
            let left = self.nodes[2 * node];
            // Rounding may leave a point at the very end: it belongs to the last weight that is not zero.
            if point < left || self.nodes[2 * node + 1] <= 0.0 {
                node *= 2;
            } else {
                point -= left;
                node = 2 * node + 1;
            }
        }
        node - self.capacity()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_sum_tree_is_a_list_of_weights(
            start in prop::collection::vec(0.0..10.0_f64, 0..40),
            changes in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(0.0..10.0_f64)), 0..60),
            point in 0.0..1.0_f64,
        ) {
            let mut list = start.clone();
            let mut tree = SumTree::new(&start);
            for (place, change) in changes {
                match change {
                    Some(weight) if !list.is_empty() => {
                        let index = place.index(list.len());
                        list[index] = weight;
                        tree.set(index, weight);
                    }
                    _ => {
                        list.push(1.5);
                        tree.push(1.5);
                    }
                }
            }
            prop_assert_eq!(tree.len(), list.len());
            for count in 0..=list.len() {
                let sum: f64 = list[..count].iter().sum();
                prop_assert!((tree.prefix(count) - sum).abs() < 1e-9);
            }
            prop_assert!(list.iter().enumerate().all(|(index, weight)| tree.get(index).to_bits() == weight.to_bits()));
            let total: f64 = list.iter().sum();
            if total > 0.0 {
                let found = tree.find(point * tree.prefix(list.len()));
                prop_assert!(list[found] > 0.0);
                prop_assert!(tree.prefix(found) <= point * total + 1e-9 && point * total <= tree.prefix(found + 1) + 1e-9);
            }
        }
    }
}

//! Eigenvector centrality: by conjugate gradients for undirected graphs, by power iteration for
//! directed ones.

use super::pagerank::{pulled, strength};
use crate::error::{AnalysisError, Result};
use crate::limits::{MAX_GRADIENT_NODES, MAX_POWER_ITERATIONS, MAX_POWER_STEPS};
use crate::network::{Direction, Network, Weights};
use crate::per_node::PerNode;
use crate::structure::strong_components;

/// The power iteration ends when a step changes the vector by less than this in length. The
/// remaining error is larger by the ratio of the two largest eigenvalues, which leaves five digits
/// of margin to the guaranteed 1e-4.
const VECTOR_TOLERANCE: f64 = 1e-11;

/// The gradient iteration ends when `A x` differs from `λ x` by this share of `λ`: some ten times
/// the rounding error of a sum over 20,000 edges.
const RESIDUAL_TOLERANCE: f64 = 1e-11;
/// The number of passes over a vector in one gradient iteration, in addition to the pass over the
/// edges.
const GRADIENT_VECTORS: u64 = 30;
/// The number of iterations after which the image of the vector is computed anew, because rounding
/// errors accumulate.
const FRESH_ITERATIONS: u64 = 64;
/// The number of products in a partial sum.
const SUMMED_AT_ONCE: usize = 1_024;

/// The greatest factor by which strengths are scaled. For the smallest strengths, the reciprocal
/// would be infinite.
const GREATEST_UNIT: f64 = 1e300;

/// Returns the eigenvector of the greatest eigenvalue, `λ x(v) = Σ w(u, v) x(u)`: of length 1 and
/// without negative values. A weight is a strength. In a directed graph the edges that end at a
/// node count. A graph without edges has equal values. Both methods start from equal values.
/// Source: `networkx.eigenvector_centrality`.
///
/// # Errors
/// [`AnalysisError::NoEigenvector`]; [`AnalysisError::NotConverged`] if the two greatest
/// eigenvalues are so close that the limit of iterations does not suffice, as for a line of tens of
/// thousands of nodes.
pub fn eigenvector(network: &Network, weights: Weights) -> Result<Vec<f64>> {
    let nodes = network.node_count();
    let start = PerNode::new(nodes, 1.0 / f64::from(nodes.max(1)).sqrt());
    if network.arc_count() == 0 {
        return Ok(start.into_values());
    }
    let shift = half_mean_strength(network, weights);
    if shift <= 0.0 {
        return Ok(start.into_values());
    }
    let has_cycle = || strong_components(network).count() < nodes || network.self_loop_count() > 0;
    if network.direction() == Direction::Directed && !has_cycle() {
        return Err(AnalysisError::NoEigenvector);
    }
    // Strengths are scaled by the shift, so that neither large nor small ones leave the range of a
    // double.
    let unit = (1.0 / shift).min(GREATEST_UNIT);
    let product = |from: &PerNode<f64>, into: &mut PerNode<f64>| {
        for node in 0..nodes {
            let term = |from_node, strength| unit * strength * from.get(from_node);
            into.set(node, pulled(network, weights, node, term));
        }
    };
    let fitting = |vectors| MAX_POWER_STEPS / (vectors * u64::from(nodes) + network.arc_count());
    match network.direction() {
        Direction::Undirected if nodes <= MAX_GRADIENT_NODES => {
            let iterations = fitting(GRADIENT_VECTORS).min(MAX_POWER_ITERATIONS);
            by_gradient(start, iterations, product)
        }
        Direction::Undirected | Direction::Directed => {
            let iterations = fitting(1).min(MAX_POWER_ITERATIONS);
            by_power(start, iterations, unit * shift, product)
        }
    }
}

/// Iterates `A + s I`. The shift `s`, half the mean strength, makes graphs converge in which every
/// closed walk has an even number of steps.
fn by_power(
    mut current: PerNode<f64>,
    iterations: u64,
    shift: f64,
    product: impl Fn(&PerNode<f64>, &mut PerNode<f64>),
) -> Result<Vec<f64>> {
    let mut next = current.clone();
    for _ in 0..iterations {
        product(&current, &mut next);
        add(&mut next, shift, &current);
        let length = dot(&next, &next).sqrt();
        scale(&mut next, 1.0 / length);
        let pairs = next.values().iter().zip(current.values());
        let change = pairs
            .map(|(next, current)| (next - current).powi(2))
            .sum::<f64>()
            .sqrt();
        std::mem::swap(&mut current, &mut next);
        if change < VECTOR_TOLERANCE {
            return Ok(current.into_values());
        }
    }
    Err(AnalysisError::NotConverged {
        iterations: iterations as u32,
    })
}

/// Maximises `x · A x` for a symmetric `A`, each time over the plane of `x`, the residual and the
/// last direction. A line of n nodes takes some n iterations, whereas power iteration takes n².
/// Source: Knyazev (2001), "Toward the optimal preconditioned eigensolver", for one vector.
fn by_gradient(
    mut vector: PerNode<f64>,
    iterations: u64,
    product: impl Fn(&PerNode<f64>, &mut PerNode<f64>),
) -> Result<Vec<f64>> {
    let mut image = vector.clone();
    let [mut residual, mut residual_image, mut step, mut step_image] =
        [(); 4].map(|()| PerNode::new(vector.values().len() as u32, 0.0));
    for iteration in 0..iterations {
        if iteration.is_multiple_of(FRESH_ITERATIONS) {
            product(&vector, &mut image);
        }
        let value = dot(&vector, &image);
        residual.slots().copy_from_slice(image.values());
        add(&mut residual, -value, &vector);
        let length = dot(&residual, &residual).sqrt();
        if length <= RESIDUAL_TOLERANCE * value {
            vector
                .slots()
                .iter_mut()
                .for_each(|value| *value = value.abs());
            return Ok(vector.into_values());
        }
        scale(&mut residual, 1.0 / length);
        let along = dot(&residual, &vector);
        add(&mut residual, -along, &vector);
        product(&residual, &mut residual_image);

        let [along, across] = [&vector, &residual].map(|other| dot(&step, other));
        add(&mut step, -along, &vector);
        add(&mut step, -across, &residual);
        add(&mut step_image, -along, &image);
        add(&mut step_image, -across, &residual_image);
        let length = dot(&step, &step).sqrt();
        let factor = if length > 0.0 { 1.0 / length } else { 0.0 };
        scale(&mut step, factor);
        scale(&mut step_image, factor);

        let [by_residual, by_step] = greatest_of_three(
            value,
            [dot(&vector, &residual_image), dot(&vector, &step_image)],
            dot(&residual, &residual_image),
            dot(&residual, &step_image),
            dot(&step, &step_image),
        );
        scale(&mut step, by_step);
        add(&mut step, by_residual, &residual);
        scale(&mut step_image, by_step);
        add(&mut step_image, by_residual, &residual_image);
        add(&mut vector, 1.0, &step);
        add(&mut image, 1.0, &step_image);
        let factor = 1.0 / dot(&vector, &vector).sqrt();
        scale(&mut vector, factor);
        scale(&mut image, factor);
    }
    Err(AnalysisError::NotConverged {
        iterations: iterations as u32,
    })
}

/// Returns the second and third component of the eigenvector of the greatest eigenvalue of `[[a,
/// b0, b1], [b0, c, d], [b1, d, e]]`, scaled so that the first component is 1. The eigenvalue is
/// computed after Smith (1961), "Eigenvalues of a symmetric 3 × 3 matrix".
fn greatest_of_three(a: f64, [b0, b1]: [f64; 2], c: f64, d: f64, e: f64) -> [f64; 2] {
    let mean = (a + c + e) / 3.0;
    let [a0, c0, e0] = [a - mean, c - mean, e - mean];
    let spread = ((a0 * a0 + c0 * c0 + e0 * e0 + 2.0 * (b0 * b0 + b1 * b1 + d * d)) / 6.0).sqrt();
    let determinant = a0 * (c0 * e0 - d * d) - b0 * (b0 * e0 - d * b1) + b1 * (b0 * d - c0 * b1);
    let angle = (determinant / (2.0 * spread.powi(3)))
        .clamp(-1.0, 1.0)
        .acos()
        / 3.0;
    let greatest = mean + 2.0 * spread * angle.cos();
    let [c, e] = [c - greatest, e - greatest];
    let below = c * e - d * d;
    let parts = [(d * b1 - e * b0) / below, (d * b0 - c * b1) / below];
    if parts.iter().all(|part| part.is_finite()) {
        parts
    } else {
        [b0, b1]
    }
}

/// Returns the dot product. It is summed in parts, so that the rounding error stays small for very
/// long vectors.
fn dot(one: &PerNode<f64>, other: &PerNode<f64>) -> f64 {
    let pieces = one
        .values()
        .chunks(SUMMED_AT_ONCE)
        .zip(other.values().chunks(SUMMED_AT_ONCE));
    pieces
        .map(|(one, other)| {
            one.iter()
                .zip(other)
                .map(|(one, other)| one * other)
                .sum::<f64>()
        })
        .sum()
}

/// Adds a multiple of another vector.
fn add(to: &mut PerNode<f64>, factor: f64, other: &PerNode<f64>) {
    for (to, other) in to.slots().iter_mut().zip(other.values()) {
        *to += factor * other;
    }
}

fn scale(vector: &mut PerNode<f64>, factor: f64) {
    vector.slots().iter_mut().for_each(|value| *value *= factor);
}

/// Returns half the mean strength of a node. The greatest eigenvalue of an undirected graph is at
/// least twice that.
fn half_mean_strength(network: &Network, weights: Weights) -> f64 {
    let nodes = network.node_count();
    let total: f64 = (0..nodes)
        .map(|node| strength(network, weights, node))
        .sum();
    total / f64::from(nodes) / 2.0
}

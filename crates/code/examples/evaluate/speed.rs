//! Measures how long words, vectors and the search take.

use std::path::Path;
use std::time::Instant;

use code_search::vectors::{Matrix, quantise};
use code_search::words::index_words;

use crate::items::{Documentation, Entry, of_folder};
use crate::questions::models;
use crate::store::document;

/// The number of rows that are searched.
const ROWS: usize = 30_000;
/// The number of searches that are measured.
const SEARCHES: u32 = 20;

/// Prints the times.
pub fn print(sources: &Path) {
    let entries = of_folder(sources, "all", Documentation::Kept);
    let entries: Vec<&Entry> = entries.iter().take(ROWS).collect();
    let lines: usize = entries.iter().map(|entry| entry.text.lines().count()).sum();
    let bytes: usize = entries.iter().map(|entry| entry.text.len()).sum();
    println!("{} items, {lines} lines, {bytes} bytes", entries.len());
    let start = Instant::now();
    let words: usize = entries
        .iter()
        .map(|entry| index_words(&entry.text).len())
        .sum();
    let time = start.elapsed();
    println!(
        "words: {time:?}, {words} bytes; {:?} for 100,000 lines",
        time.mul_f64(100_000.0 / lines as f64)
    );
    for model in models() {
        let start = Instant::now();
        let blobs: Vec<Vec<u8>> = entries
            .iter()
            .map(|entry| quantise(&model.embed(&document(entry).embedded())))
            .collect();
        let time = start.elapsed();
        println!(
            "{}: {time:?}; {:?} for 100,000 lines",
            model.name(),
            time.mul_f64(100_000.0 / lines as f64)
        );
        let start = Instant::now();
        let mut matrix = Matrix::new(model.dimensions());
        for (row, blob) in (0..).zip(&blobs) {
            matrix.push(row, blob).unwrap();
        }
        let pushed = start.elapsed();
        matrix.centre();
        let centred = start.elapsed();
        let question =
            model.embed("how a broadcast channel delivers messages to multiple receivers");
        let start = Instant::now();
        let found: usize = (0..SEARCHES)
            .map(|_| matrix.search(&question, 100).unwrap().len())
            .sum();
        println!(
            "  {} rows of {} bytes: pushed {pushed:?}, centred {:?}, search {:?} ({found})",
            blobs.len(),
            model.dimensions(),
            centred - pushed,
            start.elapsed() / SEARCHES
        );
    }
}

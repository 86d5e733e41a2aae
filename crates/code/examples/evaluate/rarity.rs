//! Counts how rare words are, which gives the table of `src/vectors/idf.rs`.

use std::collections::BTreeSet;
use std::path::Path;

use code_search::vectors::{RARITY_BUCKETS, RARITY_UNIT, rarity_bucket};

use crate::items::{Documentation, of_folder};
use crate::store::document;

/// Writes the table for the crates of a folder, without the crates that the questions are about.
pub fn write(sources: &Path, asked: &Path, file: &Path) {
    let names = |folder: &Path| -> BTreeSet<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    };
    let name = |folder: &str| {
        folder
            .rsplit_once('-')
            .map_or(folder, |(name, _)| name)
            .to_owned()
    };
    let asked: BTreeSet<String> = names(asked).iter().map(|folder| name(folder)).collect();
    let mut counts = vec![0_u32; RARITY_BUCKETS];
    let (mut items, mut crates) = (0_u32, 0);
    for folder in names(sources) {
        if asked.contains(&name(&folder))
            || asked.contains(&folder)
            || folder.starts_with("windows")
        {
            continue;
        }
        crates += 1;
        for entry in of_folder(&sources.join(&folder), &folder, Documentation::Kept) {
            items += 1;
            let mut buckets = BTreeSet::new();
            code_search::words::each_raw_word(&document(&entry).embedded(), &mut |word| {
                buckets.insert(rarity_bucket(word));
            });
            for bucket in buckets {
                counts[bucket] += 1;
            }
        }
    }
    let byte = |count: &u32| {
        let rarity = (1.0 + f64::from(items) / f64::from((*count).max(1))).ln();
        (rarity / f64::from(RARITY_UNIT)).round().min(255.0) as u8
    };
    std::fs::write(file, counts.iter().map(byte).collect::<Vec<u8>>()).unwrap();
    println!(
        "{crates} crates, {items} items, {} buckets used",
        counts.iter().filter(|count| **count > 0).count()
    );
}

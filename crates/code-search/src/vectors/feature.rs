//! The hash of a feature. It is part of the model: another hash function would be another model.

/// Returns the FNV-1a hash with a final step that spreads it over all bits.
pub fn hash(bytes: &[u8]) -> u64 {
    // The offset and the prime of FNV-1a for 64 bits.
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let hash = bytes.iter().fold(OFFSET, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(PRIME)
    });
    // The final step of MurmurHash3.
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

//! Content negotiation: the form of a response that a client prefers, by its `Accept` header (RFC
//! 9110, 12.5.1).

/// Returns the offered media type that the header prefers; `None` if it names none of them. The
/// first offered type is the default for ranges such as `*/*`.
pub fn preferred<'o>(accept: &str, offered: &[&'o str]) -> Option<&'o str> {
    let mut best: Option<(f32, &'o str)> = None;
    for range in accept.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let wanted = parts.next().unwrap_or_default().to_ascii_lowercase();
        let weight = parts
            .find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")))
            .map_or(1.0, |weight| weight.parse::<f32>().unwrap_or(0.0));
        let fits = |offer: &&&str| match wanted.strip_suffix("/*") {
            Some("*") => true,
            Some(kind) => offer.split('/').next() == Some(kind),
            None => **offer == wanted,
        };
        if weight > 0.0
            && let Some(offer) = offered.iter().find(fits)
            // Of equal weights the first wins.
            && best.is_none_or(|(known, _)| weight > known)
        {
            best = Some((weight, offer));
        }
    }
    best.map(|(_, offer)| offer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_range_counts_and_of_equal_ones_the_first() {
        let offered = ["application/json", "application/x-ndjson", "text/csv"];
        for (accept, wanted) in [
            ("text/csv", Some("text/csv")),
            ("Text/CSV; charset=utf-8", Some("text/csv")),
            ("text/csv, application/json", Some("text/csv")),
            ("application/json, text/csv", Some("application/json")),
            ("application/json;q=0.5, text/csv;q=0.9", Some("text/csv")),
            ("text/csv;q=0, */*", Some("application/json")),
            ("*/*", Some("application/json")),
            ("text/*", Some("text/csv")),
            (
                "application/json, text/plain, */*",
                Some("application/json"),
            ),
            (
                "text/html,application/xhtml+xml,*/*;q=0.8",
                Some("application/json"),
            ),
            ("text/html", None),
            ("", None),
            ("text/csv;q=x", None),
            (",;,", None),
        ] {
            assert_eq!(preferred(accept, &offered), wanted, "{accept}");
        }
    }
}

//! How callers name files: a file, a folder with all that is in it, or a pattern. One meaning for every operation.

/// The patterns of SQLite's GLOB for what a caller names: at most two. With `*` (any text, slashes too; `**` is the same) or `?` (one letter) it is a
/// pattern, in which `[abc]` is one of these letters; otherwise a file or a folder, whose letters mean themselves.
pub fn patterns(named: &str) -> Vec<String> {
    let named = named.trim_start_matches("./").trim_end_matches('/');
    if named.is_empty() || named == "." {
        return vec!["*".to_owned()];
    }
    if named.contains(['*', '?']) {
        return vec![named.replace("**", "*")];
    }
    let literal = escaped(named);
    vec![literal.clone(), format!("{literal}/*")]
}

/// A text whose letters GLOB takes as they are.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '[' {
            escaped.push_str("[[]");
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::patterns;

    #[test]
    fn a_folder_is_all_that_is_in_it() {
        assert_eq!(patterns("src/api/"), ["src/api", "src/api/*"]);
        assert_eq!(patterns("./src"), ["src", "src/*"]);
        assert_eq!(patterns("."), ["*"]);
        assert_eq!(patterns("src/[a].rs"), ["src/[[]a].rs", "src/[[]a].rs/*"]);
    }

    #[test]
    fn a_star_is_anything() {
        assert_eq!(patterns("src/**/*.rs"), ["src/*/*.rs"]);
        assert_eq!(patterns("a?.rs"), ["a?.rs"]);
        assert_eq!(patterns("*/[[]id].tsx"), ["*/[[]id].tsx"]);
    }
}

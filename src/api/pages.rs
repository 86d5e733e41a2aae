//! The pages of the console: the file of each address, and the headers of its response.
//!
//! Pages hold no data, so no token is needed for them; everything that they show comes from the
//! API, with a token. The headers keep the browser from running or loading anything that is not a
//! file of this deployment, and from turning text into HTML (Trusted Types). `worker::pages`
//! fetches the files, and `console/build.mjs` makes them.

use crate::api::routes::Page;

/// The path of the files that the pages load. The name of each contains a hash of its content.
pub const ASSETS: &str = "/assets/";

/// The file for an address that does not exist.
pub const MISSING: &str = "/not-found.html";

/// The file with the description of the routes.
pub const DESCRIPTION: &str = "/openapi.json";

/// The content that the browser may load and run (CSP level 3): files of this origin, and pictures
/// that a page makes itself.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
     font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The caching of pages: the browser requests a page every time and gets 304 if it has not changed.
const REVALIDATE: &str = "no-cache";

/// The caching of files whose name contains their hash, which never change: one year, the longest
/// time that RFC 9111 mentions.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// The headers of every page and file.
const COMMON: &[(&str, &str)] = &[
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// Returns the file of an address, as the folder of assets names it; `None` if the build could not
/// have made a file of that name.
pub fn file(page: Page, path: &str) -> Option<&str> {
    match page {
        Page::Html(file) => Some(file),
        Page::Asset => path
            .strip_prefix(ASSETS)
            .filter(|name| is_made_by_the_build(name))
            .map(|_| path),
    }
}

/// Returns true if an `Accept` header names HTML with a weight above 0, as browsers do when they
/// navigate; `*/*` alone does not (RFC 9110, section 12.5.1).
pub fn accepts_html(accept: &str) -> bool {
    accept.split(',').any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let is_html = parts
            .next()
            .is_some_and(|kind| kind.eq_ignore_ascii_case("text/html"));
        let refused =
            parts
                .filter_map(|parameter| parameter.split_once('='))
                .any(|(name, weight)| {
                    name.eq_ignore_ascii_case("q") && weight.parse::<f64>().is_ok_and(|q| q <= 0.0)
                });
        is_html && !refused
    })
}

/// Returns true for names that esbuild makes, such as `home-5XK2QJ7A.js`. They contain no
/// percent-encoding.
fn is_made_by_the_build(name: &str) -> bool {
    let of_names = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    name.bytes().all(of_names) && name.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

/// Returns the headers of a page or a file.
pub fn headers(page: Page) -> impl Iterator<Item = (&'static str, &'static str)> {
    let caching = match page {
        Page::Html(_) => REVALIDATE,
        Page::Asset => IMMUTABLE,
    };
    COMMON
        .iter()
        .copied()
        .chain(std::iter::once(("cache-control", caching)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Page = Page::Html("/code.html");

    #[test]
    fn an_address_names_a_file_of_the_build_or_nothing() {
        for (page, path, wanted) in [
            (PAGE, "/code/shop%3A1", Some("/code.html")),
            (
                Page::Asset,
                "/assets/home-5XK2QJ7A.js",
                Some("/assets/home-5XK2QJ7A.js"),
            ),
            (Page::Html(MISSING), "/nowhere", Some("/not-found.html")),
            (Page::Asset, "/assets/..", None),
            (Page::Asset, "/assets/%2e%2e", None),
            (Page::Asset, "/assets/a/b.js", None),
            (Page::Asset, "/assets/a.js?x", None),
            (Page::Asset, "/assets/", None),
        ] {
            assert_eq!(file(page, path), wanted, "{path}");
        }
    }

    #[test]
    fn a_browser_is_told_by_the_html_that_it_accepts() {
        for (accept, wanted) in [
            (
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                true,
            ),
            ("application/json, TEXT/HTML;q=0.5", true),
            ("text/html;q=0, */*", false),
            ("*/*", false),
            ("application/json", false),
            ("text/htmlx", false),
            ("", false),
        ] {
            assert_eq!(accepts_html(accept), wanted, "{accept}");
        }
    }

    #[test]
    fn the_policy_allows_no_inline_code_and_no_other_origin() {
        for page in [PAGE, Page::Asset] {
            let policy = headers(page)
                .find(|(name, _)| *name == "content-security-policy")
                .map(|(_, policy)| policy)
                .unwrap_or_default();
            assert!(policy.starts_with("default-src 'none'"), "{policy}");
            for word in ["unsafe", "http", "*"] {
                assert!(!policy.contains(word), "{word} in {policy}");
            }
        }
    }

    #[test]
    fn only_files_whose_name_holds_their_hash_are_kept_for_good() {
        let caching = |page| {
            headers(page)
                .filter(|(name, _)| *name == "cache-control")
                .map(|(_, value)| value)
                .collect::<Vec<_>>()
        };
        assert_eq!(caching(PAGE), ["no-cache"]);
        assert_eq!(
            caching(Page::Asset),
            ["public, max-age=31536000, immutable"]
        );
    }
}

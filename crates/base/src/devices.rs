//! Names that Windows reserves for devices, in every folder and with any file extension: a file
//! with such a name is read from and written to the device.

/// The reserved names that have no number. `CONIN$` and `CONOUT$` are the console, `CLOCK$` is the
/// clock of old systems.
const NAMES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"];

/// Returns true if Windows reads the name of a file or folder as a device.
///
/// Only the part before the first dot or colon counts, without spaces at its end. Case is ignored,
/// as are superscript and full-width forms, which Windows or programs with an older character set
/// read as the plain ones.
pub fn is_device(name: &str) -> bool {
    let folded: String = name.chars().flat_map(folded).collect();
    let stem = folded.split(['.', ':']).next().unwrap_or_default();
    let stem = stem.trim_end_matches(char::is_whitespace);
    let port = stem
        .strip_prefix("com")
        .or_else(|| stem.strip_prefix("lpt"))
        .is_some_and(|number| {
            number.len() == 1 && number.bytes().all(|digit| digit.is_ascii_digit())
        });
    port || NAMES.contains(&stem)
}

/// Returns the plain form of a character, in lower case.
fn folded(character: char) -> impl Iterator<Item = char> {
    let moved = |first: u32, plain: char| {
        let offset = u32::from(character).saturating_sub(first);
        char::from_u32(u32::from(plain).saturating_add(offset))
    };
    let plain = match character {
        '¹' => Some('1'),
        '²' => Some('2'),
        '³' => Some('3'),
        '⁰' | '⁴'..='⁹' => moved(0x2070, '0'),
        '₀'..='₉' => moved(0x2080, '0'),
        '！'..='～' => moved(0xff01, '!'),
        _ => None,
    };
    plain.unwrap_or(character).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::is_device;

    #[test]
    fn a_device_is_known_in_each_spelling() {
        for name in [
            "con",
            "CON",
            "Con",
            "prn",
            "aux",
            "nul",
            "NUL.txt",
            "aux.tar.gz",
            "AUX.",
            "aux..",
            "con ",
            "con .txt",
            "con  . .txt",
            "con\u{a0}.txt",
            "con:",
            "con:stream",
            "con .x:y",
            "nul::$DATA",
            "COM0",
            "com1",
            "com9.log",
            "LPT1",
            "lpt9",
            "COM¹",
            "com²",
            "LPT³",
            "lpt³.txt",
            "com⁴",
            "com₁",
            "CONIN$",
            "conin$.txt",
            "CONOUT$",
            "conout$ .x",
            "CLOCK$",
            "ｃｏｎ",
            "ＣＯＭ１",
            "com１",
            "ＮＵＬ．ｔｘｔ",
            "cloc\u{212a}$",
        ] {
            assert!(is_device(name), "{name:?}");
        }
        for name in [
            "", ".", "co", "cons", "console", "con_x.rs", "xcon", " con", "com", "com10", "com¹¹",
            "comx", "lpt", "lpta", "conin", "conout", "clock", "clock$x", "aux_", "nul-1", "x.con",
            "prnt", "컴1", "c on",
        ] {
            assert!(!is_device(name), "{name:?}");
        }
    }
}

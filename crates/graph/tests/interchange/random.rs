//! Random graphs from a seed: texts with any character, data of every shape, and names that the
//! formats themselves use.

/// SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) struct Random(pub(crate) u64);

/// Names that some format does not read as data, or that look like numbers.
const NAMES: &[&str] = &[
    "id",
    "label",
    "type",
    "name",
    "value",
    "data",
    "x",
    "y",
    "position",
    "pinned",
    "key",
    "source",
    "target",
    "from",
    "Subject",
    "predicate",
    "interaction",
    "category",
    "weight",
    "score",
    "note",
    "parent",
    "classes",
    "desc",
    "directed",
    "",
    " ",
    "7",
    "a b",
];

/// Texts that formats may misread or lose.
const TEXTS: &[&str] = &[
    "",
    " ",
    "7",
    "007",
    "1e5",
    "true",
    "False",
    "null",
    "NaN",
    "{}",
    "{\"a\":1}",
    "[",
    "a,b;c\td|e",
    "\"q\"",
    "'",
    "\r\n",
    "\n",
    "\r",
    "\t",
    "]]>",
    "&amp;",
    "<b>",
    "=1+1",
    "\u{feff}",
    "\u{fffe}",
    "\u{ffff}",
    "\u{85}",
    "\u{2028}",
    "\u{0}",
    "\u{1}",
    "\\",
    "\\u0041",
    "😀",
    "e\u{301}",
    "\u{10ffff}",
];

const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-7",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1.0",
    "0.1",
    "-1.5E-7",
    "1.7976931348623157e308",
    "3.141592653589793238462643383279",
];

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn of<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len())]
    }

    /// Returns a text of awkward pieces and characters of every plane.
    pub(crate) fn text(&mut self) -> String {
        (0..self.below(4))
            .map(|_| match self.below(3) {
                0 => self.of(TEXTS).to_owned(),
                1 => self.of(NAMES).to_owned(),
                _ => {
                    let code = u32::try_from(self.next() % 0x11_0000).unwrap();
                    char::from_u32(code).unwrap_or('\u{e9}').to_string()
                }
            })
            .collect()
    }

    /// Returns a text that can be a label or type: no U+0000.
    pub(crate) fn label(&mut self) -> String {
        self.text().replace('\0', "")
    }

    /// Returns a text that can be an id: without control characters.
    pub(crate) fn id(&mut self, prefix: &str, number: usize) -> String {
        let text = self.text();
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        format!("{text}{prefix}{number}")
    }

    /// Returns a finite number of any magnitude.
    pub(crate) fn coordinate(&mut self) -> f64 {
        let bits = f64::from(u32::try_from(self.next() >> 32).unwrap()) / f64::from(u32::MAX);
        let scale = [0.0, 1e-300, 1e-3, 1.0, 1e3, 1e9][self.below(6)];
        (bits - 0.5) * scale
    }

    /// Returns a JSON object, sometimes with blanks or a duplicate name.
    pub(crate) fn data(&mut self) -> String {
        let mut names: Vec<String> = Vec::new();
        for _ in 0..self.below(6) {
            let name = if self.below(5) == 0 {
                self.text()
            } else {
                self.of(NAMES).to_owned()
            };
            if !names.contains(&name) || self.below(20) == 0 {
                names.push(name);
            }
        }
        let fields: Vec<String> = names
            .iter()
            .map(|name| {
                // Most fields have the same type throughout a graph, because otherwise they would
                // never become attributes.
                let value = match (name.len() % 3, self.below(12)) {
                    (_, 0) => self.value(3),
                    (0, _) => self.of(NUMBERS).to_owned(),
                    (1, _) => json(&self.text()),
                    _ => self.of(&["true", "false"]).to_owned(),
                };
                format!("{}:{value}", json(name))
            })
            .collect();
        let blank = if self.below(4) == 0 { " " } else { "" };
        format!("{{{blank}{}{blank}}}", fields.join(","))
    }

    fn value(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 4 } else { 6 }) {
            0 => "null".to_owned(),
            1 => self.of(&["true", "false"]).to_owned(),
            2 => self.of(NUMBERS).to_owned(),
            3 => json(&self.text()),
            4 => format!("[{},{}]", self.value(depth - 1), self.value(depth - 1)),
            _ => format!("{{{}:{}}}", json(&self.text()), self.value(depth - 1)),
        }
    }
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

//! The rows. There is one seed, so that every database of a size has the same rows.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::random::Random;
use super::tables::{TABLES, Table, Variant};

const SEED: u64 = 20_241_120;
/// 2019-01-01, in days since 1970-01-01.
const FIRST_DAY: i64 = 17_897;
const DAYS: u64 = 2_192;
/// 2024-07-01, in seconds since 1970-01-01: the month of the visits.
const FIRST_SECOND: i64 = 1_719_792_000;
const SECONDS: u64 = 31 * 86_400;
const SOME_USER: i64 = 435_090_932;

/// Makes all tables with `rows` rows in the two largest, and the indexes of the variant. For a
/// file, one transaction around it is faster.
pub fn fill(connection: &Connection, variant: Variant, rows: u64) -> rusqlite::Result<()> {
    for table in &TABLES {
        connection.execute(&table.create(variant), [])?;
    }
    let mut random = Random(SEED);
    Company::of(rows).fill(connection, &mut random)?;
    visits(connection, &mut random, rows)?;
    for index in TABLES
        .iter()
        .flat_map(|table| table.create_indexes(variant))
    {
        connection.execute(&index, [])?;
    }
    Ok(())
}

struct Rows<'a>(rusqlite::CachedStatement<'a>);

impl<'a> Rows<'a> {
    fn into(connection: &'a Connection, name: &str) -> rusqlite::Result<Self> {
        let table: &Table = TABLES
            .iter()
            .find(|table| table.name == name)
            .unwrap_or(&TABLES[0]);
        let marks = vec!["?"; table.width()].join(", ");
        let sql = format!("INSERT INTO {name} VALUES ({marks})");
        Ok(Self(connection.prepare_cached(&sql)?))
    }

    fn add(&mut self, row: Vec<Value>) -> rusqlite::Result<()> {
        self.0.execute(params_from_iter(row)).map(drop)
    }
}

fn text(value: impl Into<String>) -> Value {
    Value::Text(value.into())
}

fn number(value: u64) -> Value {
    Value::Integer(value as i64)
}

fn money(cents: u64) -> Value {
    Value::Real(cents as f64 / 100.0)
}

fn or_null(present: bool, value: Value) -> Value {
    if present { value } else { Value::Null }
}

/// Returns `YYYY-MM-DD` of a day since 1970-01-01 (the algorithm of Howard Hinnant's
/// chrono-compatible calendar).
fn day(days: i64) -> String {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

fn moment(second: i64) -> String {
    let (days, rest) = (second.div_euclid(86_400), second.rem_euclid(86_400));
    format!(
        "{} {:02}:{:02}:{:02}",
        day(days),
        rest / 3_600,
        rest / 60 % 60,
        rest % 60
    )
}

const REGIONS: [&str; 5] = ["Africa", "America", "Asia", "Europe", "Oceania"];
const NATIONS: [&str; 25] = [
    "Algeria",
    "Argentina",
    "Japan",
    "France",
    "Australia",
    "Egypt",
    "Brazil",
    "India",
    "Germany",
    "Fiji",
    "Kenya",
    "Canada",
    "China",
    "Spain",
    "Samoa",
    "Morocco",
    "Peru",
    "Vietnam",
    "Italy",
    "Tonga",
    "Ghana",
    "Chile",
    "Nepal",
    "Poland",
    "Palau",
];
const SEGMENTS: [&str; 5] = [
    "BUILDING",
    "MACHINERY",
    "FURNITURE",
    "HOUSEHOLD",
    "VEHICLES",
];
const COLOURS: [&str; 20] = [
    "green", "forest", "ivory", "navy", "rose", "salmon", "black", "brown", "coral", "cyan",
    "gold", "grey", "lime", "linen", "olive", "peach", "plum", "sand", "teal", "wheat",
];
const SIZES: [&str; 5] = ["ECONOMY", "STANDARD", "PROMO", "MEDIUM", "SMALL"];
const METALS: [&str; 5] = ["STEEL", "COPPER", "BRASS", "TIN", "NICKEL"];
const BOXES: [&str; 4] = ["BOX", "CASE", "BAG", "JAR"];
const PRIORITIES: [&str; 5] = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-LOW", "5-NONE"];
const MODES: [&str; 7] = ["AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "ROAD", "PIPE"];
const REMARKS: [&str; 6] = [
    "call before delivery",
    "special packing requests",
    "urgent",
    "was late before",
    "refund agreed",
    "as usual",
];
const TAGS: [&str; 8] = [
    "gift", "bulk", "web", "phone", "repeat", "export", "fragile", "test",
];

/// The tables of the trading company.
struct Company {
    lines: u64,
    orders: u64,
    customers: u64,
    parts: u64,
    suppliers: u64,
}

impl Company {
    fn of(lines: u64) -> Self {
        Self {
            lines,
            orders: (lines / 4).max(10),
            customers: (lines / 40).max(10),
            parts: (lines / 30).max(10),
            suppliers: (lines / 600).max(4),
        }
    }

    fn fill(&self, connection: &Connection, random: &mut Random) -> rusqlite::Result<()> {
        let mut regions = Rows::into(connection, "region")?;
        for (id, name) in (1..).zip(REGIONS) {
            regions.add(vec![number(id), text(name)])?;
        }
        let mut nations = Rows::into(connection, "nation")?;
        for (id, name) in (1..).zip(NATIONS) {
            nations.add(vec![number(id), number((id - 1) % 5 + 1), text(name)])?;
        }
        self.customers(connection, random)?;
        self.suppliers(connection, random)?;
        self.parts(connection, random)?;
        self.orders(connection, random)
    }

    fn customers(&self, connection: &Connection, random: &mut Random) -> rusqlite::Result<()> {
        let mut rows = Rows::into(connection, "customer")?;
        for id in 1..=self.customers {
            let nation = random.skewed(25, 1.5) + 1;
            let phone = text(format!("{}-{:07}", nation + 9, random.below(10_000_000)));
            rows.add(vec![
                number(id),
                number(nation),
                text(format!("Customer {id:06}")),
                text(*random.pick(&SEGMENTS)),
                Value::Real(random.between(-99_999, 999_999) as f64 / 100.0),
                or_null(!random.chance(10), phone),
                text(day(FIRST_DAY + random.below(DAYS) as i64)),
            ])?;
        }
        Ok(())
    }

    fn suppliers(&self, connection: &Connection, random: &mut Random) -> rusqlite::Result<()> {
        let mut rows = Rows::into(connection, "supplier")?;
        for id in 1..=self.suppliers {
            let complaint = random.chance(2);
            rows.add(vec![
                number(id),
                number(random.below(25) + 1),
                text(format!("Supplier {id:05}")),
                number(random.below(5) + 1),
                money(random.below(1_000_000)),
                or_null(
                    complaint || random.chance(50),
                    text(if complaint {
                        "had a complaint"
                    } else {
                        "reliable"
                    }),
                ),
            ])?;
        }
        Ok(())
    }

    fn parts(&self, connection: &Connection, random: &mut Random) -> rusqlite::Result<()> {
        let mut parts = Rows::into(connection, "part")?;
        let mut stock = Rows::into(connection, "partsupp")?;
        for id in 1..=self.parts {
            parts.add(vec![
                number(id),
                text(format!(
                    "{} {} {id}",
                    random.pick(&COLOURS),
                    random.pick(&COLOURS)
                )),
                text(format!(
                    "Brand#{}{}",
                    random.below(5) + 1,
                    random.below(5) + 1
                )),
                text(format!("{} {}", random.pick(&SIZES), random.pick(&METALS))),
                number(random.below(50) + 1),
                text(format!(
                    "{} {}",
                    random.pick(&["SM", "MED", "LG"]),
                    random.pick(&BOXES)
                )),
                money(90_000 + random.below(120_000)),
            ])?;
            for nth in 0..4 {
                stock.add(vec![
                    number(id),
                    number(self.supplier_of(id, nth)),
                    number(random.below(10_000)),
                    money(random.below(100_000)),
                ])?;
            }
        }
        Ok(())
    }

    /// Returns one of the four suppliers of a part.
    fn supplier_of(&self, part: u64, nth: u64) -> u64 {
        (part + nth * (self.suppliers / 4).max(1)) % self.suppliers + 1
    }

    /// Returns a customer: some buy very much, and every third buys nothing.
    fn customer(&self, random: &mut Random) -> u64 {
        if random.chance(10) {
            return random.skewed(10, 3.0) + 1;
        }
        let id = random.below(self.customers) + 1;
        if id.is_multiple_of(3) { id - 1 } else { id }
    }

    fn orders(&self, connection: &Connection, random: &mut Random) -> rusqlite::Result<()> {
        let mut orders = Rows::into(connection, "orders")?;
        let mut lines = Rows::into(connection, "lineitem")?;
        let mut left = self.lines;
        for id in 1..=self.orders {
            let ordered = FIRST_DAY + random.below(DAYS) as i64;
            let count = (random.below(7) + 1).min(left);
            left -= count;
            let mut total = 0;
            for line in 1..=count {
                total += self.line(&mut lines, random, (id, line), ordered)?;
            }
            let remark = text(format!(
                "{}; {}",
                random.pick(&REMARKS),
                random.pick(&REMARKS)
            ));
            let tags: Vec<String> = (0..random.below(4))
                .map(|_| format!("\"{}\"", random.pick(&TAGS)))
                .collect();
            orders.add(vec![
                number(id),
                number(self.customer(random)),
                text(*random.pick(&["O", "F", "F", "P"])),
                money(total),
                text(day(ordered)),
                text(*random.pick(&PRIORITIES)),
                text(format!("Clerk {:04}", random.skewed(1_000, 2.0))),
                or_null(!random.chance(30), remark),
                or_null(!random.chance(40), text(format!("[{}]", tags.join(",")))),
            ])?;
        }
        Ok(())
    }

    /// Returns the price in cents.
    fn line(
        &self,
        rows: &mut Rows<'_>,
        random: &mut Random,
        (order, line): (u64, u64),
        ordered: i64,
    ) -> rusqlite::Result<u64> {
        let part = random.skewed(self.parts, 1.3) + 1;
        let quantity = random.below(50) + 1;
        let price = quantity * (90_000 + part % 20_000);
        let shipped = ordered + random.between(1, 121);
        let received = shipped + random.between(1, 30);
        let nth = random.below(4);
        rows.add(vec![
            number(order),
            number(line),
            number(part),
            number(self.supplier_of(part, nth)),
            number(quantity),
            money(price),
            money(random.below(11)),
            money(random.below(9)),
            text(*random.pick(&["R", "A", "N", "N"])),
            text(*random.pick(&["O", "F"])),
            text(day(shipped)),
            text(day(ordered + random.between(30, 90))),
            or_null(!random.chance(3), text(day(received))),
            text(*random.pick(&MODES)),
        ])?;
        Ok(price)
    }
}

const PLACES: [&str; 10] = [
    "list", "product", "basket", "checkout", "help", "news", "account", "offers", "search", "about",
];
const WORDS: [&str; 16] = [
    "red", "blue", "cheap", "hotel", "car", "near", "best", "winter", "shoes", "phone", "used",
    "garden", "music", "kids", "small", "price",
];
const SYSTEMS: [&str; 6] = ["Windows", "Linux", "macOS", "Android", "iOS", "other"];
const BROWSERS: [&str; 7] = [
    "Chrome", "Firefox", "Safari", "Edge", "Opera", "Samsung", "other",
];
const LANGUAGES: [&str; 12] = [
    "en", "de", "fr", "es", "it", "pl", "pt", "ja", "zh", "ru", "ar", "nl",
];
const WIDTHS: [u64; 8] = [360, 390, 768, 1_280, 1_366, 1_440, 1_920, 2_560];

/// Returns the search phrase of a visitor, most often empty.
fn phrase(random: &mut Random) -> String {
    if !random.chance(13) {
        return String::new();
    }
    let words: Vec<&str> = (0..=random.below(4))
        .map(|_| WORDS[random.skewed(16, 1.6) as usize])
        .collect();
    format!("{} {}", words.join(" "), random.skewed(3_000, 3.0))
}

fn settings(random: &mut Random) -> String {
    format!(
        r#"{{"theme":"{}","version":{},"tags":["{}","{}"]}}"#,
        random.pick(&["dark", "light", "auto"]),
        random.below(9),
        random.pick(&["beta", "new", "old"]),
        random.pick(&TAGS)
    )
}

/// Makes the visits: users with a long tail, most of them without a phrase, and days of unequal
/// weight.
fn visits(connection: &Connection, random: &mut Random, count: u64) -> rusqlite::Result<()> {
    let mut rows = Rows::into(connection, "hits")?;
    let users = (count / 8).max(10);
    let mut sessions = 1_000u64;
    for id in 1..=count {
        let user = random.skewed(users, 3.0);
        let second = FIRST_SECOND + random.skewed(SECONDS, 1.2) as i64;
        if random.chance(20) {
            sessions += 1;
        }
        let session = sessions.saturating_sub(random.below(8));
        let place = PLACES[random.skewed(10, 2.0) as usize];
        let product = random.skewed(count / 20 + 1, 2.5);
        let phrase = phrase(random);
        let mobile = random.chance(55);
        let settings = text(settings(random));
        let width = *random.pick(&WIDTHS);
        rows.add(vec![
            number(id),
            Value::Integer(SOME_USER + (user * 7_919) as i64),
            number(session),
            number(random.skewed(400, 2.2) + 1),
            text(moment(second)),
            text(day(second / 86_400)),
            number(random.skewed(2_000, 2.5)),
            text(format!(
                "https://shop{}.example/{place}/{product}",
                random.skewed(40, 2.0)
            )),
            text(if random.chance(60) {
                format!(
                    "https://site{}.example/{}",
                    random.skewed(500, 2.5),
                    random.pick(&WORDS)
                )
            } else {
                String::new()
            }),
            text(format!(
                "{} {place}",
                if random.chance(8) { "Sale:" } else { "Shop:" }
            )),
            text(phrase.clone()),
            number(if phrase.is_empty() {
                0
            } else {
                random.skewed(30, 2.0) + 1
            }),
            text(SYSTEMS[random.skewed(6, 1.5) as usize]),
            text(BROWSERS[random.skewed(7, 1.7) as usize]),
            text(if !mobile {
                ""
            } else if random.chance(85) {
                "phone"
            } else {
                "tablet"
            }),
            number(u64::from(mobile)),
            number(u64::from(random.chance(12))),
            number(u64::from(random.chance(30))),
            number(width),
            number(width * 9 / 16),
            or_null(!random.chance(25), number(random.skewed(1_800, 4.0))),
            number(if random.chance(4) {
                random.skewed(20, 1.5) + 1
            } else {
                0
            }),
            number(random.skewed(6, 1.5)),
            number(random.skewed(count / 3 + 1, 1.5)),
            text(LANGUAGES[random.skewed(12, 2.0) as usize]),
            or_null(random.chance(15), settings),
        ])?;
    }
    Ok(())
}

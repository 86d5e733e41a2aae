//! Tables of cases: texts that are numbers and dates, and the values that columns of them become.

mod notices;

use super::fit::Fit;
use super::number::{self, Decimal};
use super::{Column, MissingWords, Profile, Reading, ReadingOptions, date};

#[test]
fn a_field_is_a_number_if_printing_it_gives_the_field_back() {
    for (field, kind) in [
        ("0", "INTEGER"),
        ("-12", "INTEGER"),
        ("+5", "INTEGER"),
        ("999999999999999", "INTEGER"),
        ("9223372036854775807", "INTEGER"),
        ("-9223372036854775808", "INTEGER"),
        ("9223372036854775808", "TEXT"),
        ("12345678901234567890", "TEXT"),
        ("007", "TEXT"),
        ("-07", "TEXT"),
        ("00", "TEXT"),
        ("-0", "REAL"),
        ("-00", "TEXT"),
        ("+4915112345678", "TEXT"),
        ("1.5", "REAL"),
        ("1.50", "REAL"),
        ("-0.0", "REAL"),
        ("0.5", "REAL"),
        (".5", "REAL"),
        ("-.5", "REAL"),
        ("5.", "REAL"),
        ("00.5", "TEXT"),
        ("0.10000000000000001", "REAL"),
        ("0.30000000000000004", "REAL"),
        ("0.1000000000000000055511151231257827", "REAL"),
        ("0.10000000000000002", "REAL"),
        ("0.100000000000000020", "TEXT"),
        ("3.14159265358979323846", "TEXT"),
        ("1e5", "REAL"),
        ("1E5", "REAL"),
        ("1e+05", "REAL"),
        ("1.5e-07", "REAL"),
        ("6.02214076E+23", "REAL"),
        ("1.50e3", "REAL"),
        ("0e0", "REAL"),
        ("0.000000e+00", "REAL"),
        ("2.2250738585072014e-308", "REAL"),
        ("5e-324", "REAL"),
        ("1.7976931348623157e308", "REAL"),
        ("1e-3", "REAL"),
        ("32E0134", "TEXT"),
        ("12E12", "TEXT"),
        ("1E05", "TEXT"),
        ("0E5123", "TEXT"),
        ("01E5", "TEXT"),
        ("1e-400", "TEXT"),
        ("1e999", "TEXT"),
        ("3e-324", "TEXT"),
        ("1e", "TEXT"),
        ("e5", "TEXT"),
        ("1e5e5", "TEXT"),
        ("0x10", "TEXT"),
        ("1_000", "TEXT"),
        ("Infinity", "TEXT"),
        ("NaN", "TEXT"),
        ("inf", "TEXT"),
        ("12-3", "TEXT"),
        ("--5", "TEXT"),
        ("+-5", "TEXT"),
        (".", "TEXT"),
        ("-", "TEXT"),
        ("1 2", "TEXT"),
        ("١٢", "TEXT"),
        ("", "TEXT"),
    ] {
        assert_eq!(number::plain_kind(field).declared_type(), kind, "{field}");
    }
}

/// Makes a column of fields that are separated by spaces; `␣` is a space within a field.
fn column(fields: &str, options: &ReadingOptions) -> (Profile, Reading) {
    let mut profile = Profile::default();
    for field in fields.split(' ') {
        profile.add(&field.replace('␣', " "), &options.missing);
    }
    let reading = Reading::of(&profile, options, Column::New, false);
    (profile, reading)
}

/// Returns the type and the values of a converted column, such as `REAL 1.5 2`, or `TEXT`.
fn becomes(fields: &str, options: &ReadingOptions) -> String {
    let (profile, reading) = column(fields, options);
    let declared = reading.kinds(&profile).declared_type();
    let conversion = reading.conversion(&profile, options);
    let kind = match reading {
        Reading::Text(_) => return "TEXT".to_owned(),
        Reading::Date(_) => "DATE",
        Reading::Truth => "TRUTH",
        Reading::Formula => "FORMULA",
        Reading::Quoted => "QUOTED",
        Reading::Number(_) => declared,
    };
    let values = fields.split(' ').map(|field| {
        let field = field.replace('␣', " ");
        match &conversion {
            None => field,
            Some(conversion) => conversion
                .field(&field)
                .unwrap_or_else(|| "NULL".to_owned()),
        }
    });
    format!("{kind} {}", values.collect::<Vec<_>>().join(" "))
}

#[track_caller]
fn check(options: &ReadingOptions, cases: &[(&str, &str)]) {
    for (fields, wanted) in cases {
        assert_eq!(becomes(fields, options), *wanted, "{fields}");
    }
}

#[test]
fn missing_values_become_null_where_the_rest_agrees() {
    check(
        &ReadingOptions::default(),
        &[
            ("5 40 NA", "INTEGER 5 40 NULL"),
            (
                "5 N/A null NULL NaN - ? . 1",
                "INTEGER 5 NULL NULL NULL NULL NULL NULL NULL 1",
            ),
            ("1.5 .. #N/A \\N", "REAL 1.5 NULL NULL NULL"),
            ("2024-01-31 NA", "DATE 2024-01-31 NULL"),
            ("TRUE FALSE NA", "TRUTH 1 0 NULL"),
            ("␣5 40␣ \u{a0}7\u{a0}", "INTEGER 5 40 7"),
            ("␣ 5", "INTEGER NULL 5"),
            ("1.5 #DIV/0! #REF! #VALUE! 2", "REAL 1.5 NULL NULL NULL 2"),
            // Words for a missing value are texts if a column has only them, or also other texts.
            ("NA NA", "TEXT"),
            ("NA Smith", "TEXT"),
            ("5 missing", "TEXT"),
            ("5 40 NA abc", "TEXT"),
            ("007 NA", "TEXT"),
        ],
    );
    let named = |words: &str| ReadingOptions {
        missing: MissingWords::parse(words),
        ..ReadingOptions::default()
    };
    check(
        &named("missing, -999"),
        &[
            ("5 missing -999", "INTEGER 5 NULL NULL"),
            ("5 NA", "TEXT"),
            ("5 -999.0 -999.00 -9.99e2", "INTEGER 5 NULL NULL NULL"),
            ("1,5 -999,0 -999", "REAL 1.5 NULL NULL"),
            ("-9.990 5", "REAL -9.990 5"),
            // A text that is a code is a value.
            ("a -999.0", "TEXT"),
        ],
    );
    check(
        &named(""),
        &[("5 NA", "TEXT"), ("5 -", "TEXT"), ("5 6", "INTEGER 5 6")],
    );
}

#[test]
fn notations_of_countries_are_read_where_the_column_agrees() {
    check(
        &ReadingOptions::default(),
        &[
            ("1,5 2", "REAL 1.5 2"),
            ("1,5 1,25 -3,125", "REAL 1.5 1.25 -3.125"),
            ("5.794,89 12", "REAL 5794.89 12"),
            ("1.234.567 12", "INTEGER 1234567 12"),
            ("1,234,567 12", "INTEGER 1234567 12"),
            ("1,234.5 999", "REAL 1234.5 999"),
            ("1,234 0.5", "REAL 1234 0.5"),
            ("1,23,456.78 12,34,567", "REAL 123456.78 1234567"),
            ("1'234.50 12’345", "REAL 1234.50 12345"),
            ("1␣234,5 12", "REAL 1234.5 12"),
            ("12\u{a0}345,67 1\u{202f}000,00", "REAL 12345.67 1000.00"),
            ("$62,983.00 $5", "REAL 62983.00 5"),
            ("$1,234 $12", "INTEGER 1234 12"),
            ("-$5 $-6 ($7) $(8)", "INTEGER -5 -6 -7 -8"),
            ("5␣€ 1.234,50␣€", "REAL 5 1234.50"),
            ("USD␣5 6␣USD", "INTEGER 5 6"),
            ("5␣SEK 1.234,50␣SEK", "REAL 5 1234.50"),
            ("5␣kr 12␣345,50␣kr", "REAL 5 12345.50"),
            ("A$5 A$6.50", "REAL 5 6.50"),
            ("$␣(1,234.00) $␣5.00", "REAL -1234.00 5.00"),
            ("10% 2.5%", "REAL 10 2.5"),
            ("10␣% -3␣%", "INTEGER 10 -3"),
            ("(1,234.00) 5.00", "REAL -1234.00 5.00"),
            ("5- 6", "INTEGER -5 6"),
            ("\u{2212}5 6", "INTEGER -5 6"),
            ("+5 -3", "INTEGER 5 -3"),
            ("+1.234,5 2", "REAL 1234.5 2"),
            // Groups without a fraction, in any notation.
            ("1\u{a0}234 12\u{202f}345 7", "INTEGER 1234 12345 7"),
            ("1'234 5", "INTEGER 1234 5"),
            ("555␣123␣456 555␣654␣321", "TEXT"),
            // A number in SQL notation needs no other reading.
            ("1.234 5.678", "REAL 1.234 5.678"),
            ("1.5 1e5 .5 5.", "REAL 1.5 1e5 .5 5."),
            ("-0 0.5 0", "REAL -0 0.5 0"),
            ("-0 0,5", "REAL -0 0.5"),
            ("1,5E-07 2 1e5 +1,25e3", "REAL 1.5E-07 2 1e5 1.25e3"),
            ("32E0134 1,5", "TEXT"),
            ("1,5E-400 1,5", "TEXT"),
            // Two readings, or none.
            ("1,234 5,678", "TEXT"),
            ("1,234 999", "TEXT"),
            ("1,5 1,234.5", "TEXT"),
            ("1,5 1.5", "TEXT"),
            ("$5 €6", "TEXT"),
            ("5% 6", "TEXT"),
            ("1,23 1,234,567", "TEXT"),
            ("0,123 1,234,567", "TEXT"),
            ("01.234,5 2", "TEXT"),
            ("192.168.100.200 10.0.0.1", "TEXT"),
            ("192.168.100.200", "TEXT"),
            ("1.2.3 1.2.4", "TEXT"),
            ("+1␣234␣567␣890", "TEXT"),
            ("12␣34 5", "TEXT"),
            ("5$5 6", "TEXT"),
            ("(5 6", "TEXT"),
            ("10%% 5", "TEXT"),
            ("1,2,3 4", "TEXT"),
        ],
    );
    let decimal = |decimal| ReadingOptions {
        decimal: Some(decimal),
        ..ReadingOptions::default()
    };
    check(
        &decimal(Decimal::Comma),
        &[
            ("1,234 5", "REAL 1.234 5"),
            ("1.234 5", "INTEGER 1234 5"),
            ("1.5 5", "TEXT"),
        ],
    );
    check(
        &decimal(Decimal::Point),
        &[
            ("1,234 5", "INTEGER 1234 5"),
            ("1,5 2", "TEXT"),
            ("1.234 5", "REAL 1.234 5"),
        ],
    );
}

#[test]
fn signs_prices_and_codes_are_read_where_the_column_says_so() {
    check(
        &ReadingOptions::default(),
        &[
            ("(5) (6)", "TEXT"),
            ("5- 6-", "TEXT"),
            ("5.- 12.50", "REAL 5 12.50"),
            ("5,- 12,50", "REAL 5 12.50"),
            ("5.— 5.-- CHF␣5.- 5.–␣CHF -5.-", "INTEGER 5 5 5 5 -5"),
            ("1'234.- 5", "INTEGER 1234 5"),
            ("1.234,- 5", "INTEGER 1234 5"),
            ("5.- 12,50", "TEXT"),
            ("–5 ‒6 －7", "INTEGER -5 -6 -7"),
            ("–$5 6", "INTEGER -5 6"),
            ("5–6 7", "TEXT"),
            ("1E1 2E1", "TEXT"),
            ("1E1 5", "TEXT"),
            ("1e5 1.5", "REAL 1e5 1.5"),
            ("1E+01 5", "REAL 1E+01 5"),
        ],
    );
}

#[test]
fn dates_in_one_order_become_iso() {
    check(
        &ReadingOptions::default(),
        &[
            ("31.12.2025 1.2.2025", "DATE 2025-12-31 2025-02-01"),
            ("12/31/2025 1/2/2025", "DATE 2025-12-31 2025-01-02"),
            ("31-12-2025", "DATE 2025-12-31"),
            ("31-Dec-2025 1-feb-2025", "DATE 2025-12-31 2025-02-01"),
            ("31␣December␣2025 1␣Sept␣2025", "DATE 2025-12-31 2025-09-01"),
            ("Dec␣31,␣2025 May␣1,␣2025", "DATE 2025-12-31 2025-05-01"),
            ("Wed,␣31␣Dec␣2025␣10:00:00␣GMT", "DATE 2025-12-31 10:00:00Z"),
            ("2025/12/31 2025/1/2", "DATE 2025-12-31 2025-01-02"),
            ("2025.12.31", "DATE 2025-12-31"),
            ("2025-1-2 2025-12-31", "DATE 2025-01-02 2025-12-31"),
            (
                "2024-02-29T10:00:00Z 2024-01-01",
                "DATE 2024-02-29T10:00:00Z 2024-01-01",
            ),
            (
                "31.12.2025␣9:05 1.1.2025␣23:59:58.25",
                "DATE 2025-12-31 09:05 2025-01-01 23:59:58.25",
            ),
            (
                "12/31/2025␣12:05␣AM 1/1/2025␣1:00␣pm",
                "DATE 2025-12-31 00:05 2025-01-01 13:00",
            ),
            ("31/12/2025␣10:00␣+0130", "DATE 2025-12-31 10:00+01:30"),
            // Ambiguous dates, impossible dates, or no dates.
            ("01/02/2025 03/04/2025", "TEXT"),
            ("01.02.2025", "TEXT"),
            ("31.12.2025 12/31/2025", "TEXT"),
            ("31.12.2025 12.31.2025", "TEXT"),
            ("29.02.2025", "TEXT"),
            ("31.04.2025", "TEXT"),
            ("2025-13-01", "TEXT"),
            ("31.12.25", "TEXT"),
            ("31-Dec-25", "TEXT"),
            ("2025-12-31␣25:00", "TEXT"),
            ("2025-12-31␣10:60", "TEXT"),
            ("2023.1.5", "TEXT"),
            ("Dec-2025", "TEXT"),
            ("Monday", "TEXT"),
            ("10:30", "TEXT"),
        ],
    );
    let order = |order| ReadingOptions {
        date_order: Some(order),
        ..ReadingOptions::default()
    };
    check(
        &order(super::DateOrder::DayFirst),
        &[("01/02/2025", "DATE 2025-02-01"), ("12/31/2025", "TEXT")],
    );
    check(
        &order(super::DateOrder::MonthFirst),
        &[
            ("01/02/2025", "DATE 2025-01-02"),
            ("2025-1-2", "DATE 2025-01-02"),
        ],
    );
}

#[test]
fn a_converted_date_and_number_is_read_as_itself() {
    for field in [
        "2025-12-31",
        "2025-12-31 10:00",
        "2025-12-31 10:00:00.5Z",
        "2025-12-31 10:00+01:00",
    ] {
        assert!(Fit::of(field).has(Fit::ISO), "{field}");
        assert_eq!(date::iso(field, Fit::YEAR_FIRST).as_deref(), Some(field));
    }
}

#[test]
fn only_words_for_truth_are_truth_values() {
    check(
        &ReadingOptions::default(),
        &[
            ("TRUE False true", "TRUTH 1 0 1"),
            ("T F", "TEXT"),
            ("yes no", "TEXT"),
            ("TRUE 1", "TEXT"),
            ("=\"00123\" =\"7\" NA", "FORMULA 00123 7 NULL"),
            ("=\"a\"\"b\" =\"\"", "FORMULA a\"b "),
            ("␣\"a\" ␣␣\"b␣\"\"c\"\"\" NA", "QUOTED a b \"c\" NULL"),
            ("\"a\" \"b\"", "TEXT"),
            ("␣\"a\" b", "TEXT"),
            ("=\"00123\" 456", "TEXT"),
            ("=\"a\"&\"b\"", "TEXT"),
            ("true maybe", "TEXT"),
        ],
    );
}

#[test]
fn a_profile_stays_small_whatever_comes() {
    let mut profile = Profile::default();
    let words = MissingWords::Usual;
    for number in 0..50_000_u32 {
        profile.add(
            &format!(
                "{number}-{}-text of any kind {}",
                number % 7,
                "x".repeat(100)
            ),
            &words,
        );
        profile.add(&number.to_string(), &words);
    }
    assert!(profile.sets().len() < 8);
    let kept: usize = profile
        .sets()
        .iter()
        .flat_map(|seen| &seen.examples)
        .map(String::len)
        .sum();
    assert!(kept < 1_000, "{kept}");
}

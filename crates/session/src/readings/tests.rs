//! Tables of cases: which texts are numbers and dates, and what columns of them become.

use super::fit::Fit;
use super::number::{self, Decimal};
use super::{Column, MissingWords, Profile, Reading, ReadingOptions, date, sentence};

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

/// A column of fields with blanks between them; `␣` is a blank within one.
fn column(fields: &str, options: &ReadingOptions) -> (Profile, Reading) {
    let mut profile = Profile::default();
    for field in fields.split(' ') {
        profile.add(&field.replace('␣', " "), &options.missing);
    }
    let reading = Reading::of(&profile, options, Column::New, false);
    (profile, reading)
}

/// What a column becomes, such as `REAL 1.5 2`, or `TEXT`.
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
            // Words alone, and words beside texts, are what they say.
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
            // The text of a code is a value.
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
            // A number of SQL needs no other reading.
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
            // Ambiguous, impossible, or no dates.
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
fn notices_say_what_was_done_and_why_not() {
    let options = ReadingOptions::default();
    for (fields, wanted) in [
        (
            "5 40 NA",
            "The column x is INTEGER: 1 field became NULL (“NA”).",
        ),
        ("5 40", ""),
        ("a b c", ""),
        ("2024-01-01 2024-01-02", ""),
        (
            "1,5 2",
            "The column x is REAL: 1 number was read with a decimal comma, such as “1,5”.",
        ),
        (
            "$1,234.50 $2",
            "The column x is REAL: 1 number was read with a decimal point and separators between thousands, such as “$1,234.50”; 2 numbers lost the currency $.",
        ),
        (
            "=\"00123\" =\"7\"",
            "The column x is TEXT: 2 fields lost the =\"…\" by which a spreadsheet takes them for texts, such as “=\"00123\"”, “=\"7\"”.",
        ),
        (
            "␣␣\"JAM\" ␣\"USA\"",
            "The column x is TEXT: 2 fields lost the quotation marks around them and the blanks before these, such as “  \\\"JAM\\\"”, “ \\\"USA\\\"”.",
        ),
        (
            "␣\"a\" b",
            "The column x stays TEXT: 1 of 2 fields has quotation marks behind a blank, which count as characters of the text, such as “ \\\"a\\\"”; leave the blank out.",
        ),
        (
            "=\"00123\" 456",
            "The column x stays TEXT: 1 of 2 fields is written as a spreadsheet writes texts, and the others are not, such as “=\"00123\"”, “456”.",
        ),
        (
            "10% 20%",
            "The column x is INTEGER: 2 numbers lost the percent sign, so that 10% is 10, such as “10%”, “20%”.",
        ),
        (
            "TRUE FALSE",
            "The column x is INTEGER: true became 1 and false 0.",
        ),
        (
            "31.12.2025 1.1.2025 NA",
            "The column x is TEXT: 1 field became NULL (“NA”); 2 dates with day, month, year became ISO 8601, such as “31.12.2025”, “1.1.2025”.",
        ),
        (
            "1 2 3 abc",
            "The column x stays TEXT: 3 of 4 fields are numbers, 1 does not fit: “abc”.",
        ),
        (
            "10001 10002 10003 02134",
            "The column x stays TEXT: 3 of 4 fields are numbers, 1 does not fit: “02134”.",
        ),
        ("1 2 abc", ""),
        (
            "1,234 5,678",
            "The column x stays TEXT: fields such as “1,234”, “5,678” may have thousands or a fraction behind the separator; ?decimal=. or ?decimal=, says which.",
        ),
        (
            "01/02/2025",
            "The column x stays TEXT: its fields are dates such as “01/02/2025”, of which the day or the month may be first; ?dates=dmy or ?dates=mdy says which, and makes ISO 8601 of them.",
        ),
        (
            "$5 €6",
            "The column x stays TEXT: its amounts are in several currencies: $, €.",
        ),
        (
            "5% 6",
            "The column x stays TEXT: 1 of 2 fields has a percent sign and the others none, such as “5%”, “6”.",
        ),
        (
            "1,5 1.5",
            "The column x stays TEXT: all of its fields are numbers, but no notation fits all of them, such as “1,5”, “1.5”.",
        ),
        (
            "31.12.2025 12/31/2025",
            "The column x stays TEXT: all of its fields are dates, but in several orders, such as “31.12.2025”, “12/31/2025”.",
        ),
        (
            "31.12.25",
            "The column x stays TEXT: its fields are dates with years of two digits, such as “31.12.25”.",
        ),
    ] {
        let (profile, reading) = column(fields, &options);
        let conversion = reading.conversion(&profile, &options);
        let declared = reading.kinds(&profile).declared_type();
        let said = sentence(
            "x",
            declared,
            &profile,
            reading,
            conversion.as_ref(),
            Column::New,
            &options,
        );
        assert_eq!(said.unwrap_or_default(), wanted, "{fields}");
    }
}

/// The notice of a column that is there or is to be made, as the caller reads it.
fn notice(fields: &str, declared: &str, options: &ReadingOptions) -> String {
    let to = match declared {
        "" => Column::New,
        declared => Column::declared(declared),
    };
    let (profile, _) = column(fields, options);
    let reading = Reading::of(&profile, options, to, false);
    let conversion = reading.conversion(&profile, options);
    let declared = match declared {
        "" => reading.kinds(&profile).declared_type(),
        declared => declared,
    };
    let said = sentence(
        "x",
        declared,
        &profile,
        reading,
        conversion.as_ref(),
        to,
        options,
    );
    said.unwrap_or_default()
}

#[test]
fn advice_leads_out_of_a_doubt() {
    let read = |list: &str| {
        let mut options = ReadingOptions::default();
        for option in list.split_whitespace() {
            match option {
                ";" => options.delimiter = Some(b';'),
                "dmy" => options.date_order = Some(super::DateOrder::DayFirst),
                "mdy" => options.date_order = Some(super::DateOrder::MonthFirst),
                "," => options.decimal = Some(Decimal::Comma),
                "." => options.decimal = Some(Decimal::Point),
                null => options.missing = MissingWords::parse(null),
            }
        }
        options
    };
    for (options, declared, fields, wanted) in [
        (
            ";",
            "",
            "1.234 5 NA",
            "The column x is REAL: 1 field became NULL (“NA”); fields such as “1.234” were read with a decimal point; ?decimal=, says that points stand between thousands, and ?decimal=. that they do not.",
        ),
        ("; .", "", "1.234 5.678", ""),
        (";", "", "1.234 1.5", ""),
        (";", "", "0.234 1.234", ""),
        (";", "", "1234 5", ""),
        ("", "", "1.234 5.678", ""),
        (
            "mdy",
            "",
            "31/12/2025 01/02/2025",
            "The column x stays TEXT: its fields are dates, but 1 of them cannot have the month first, as ?dates=mdy says, such as “31/12/2025”; ?dates=dmy fits all of them.",
        ),
        (
            "dmy",
            "",
            "12/31/2025",
            "The column x stays TEXT: its fields are dates, but 1 of them cannot have the day first, as ?dates=dmy says, such as “12/31/2025”; ?dates=mdy fits all of them.",
        ),
        (
            ",",
            "",
            "1.5 2.25 3",
            "The column x stays TEXT: its fields are numbers, but 2 of them cannot have a decimal comma, as ?decimal=, says, such as “1.5”, “2.25”.",
        ),
        (
            ".",
            "",
            "1,5 2",
            "The column x stays TEXT: its fields are numbers, but 1 of them cannot have a decimal point, as ?decimal=. says, such as “1,5”.",
        ),
        (
            ",",
            "",
            "1.5 2.5 3.5 x",
            "The column x stays TEXT: 3 of 4 fields are numbers, 1 does not fit: “x”.",
        ),
        (
            ",",
            "REAL",
            "1.5",
            "The column x is REAL and got its fields as SQLite reads them: its fields are numbers, but 1 of them cannot have a decimal comma, as ?decimal=, says, such as “1.5”.",
        ),
        (
            "-999",
            "",
            "5 -999 -999.0 -999.00",
            "The column x is INTEGER: 3 fields became NULL (“-999”, “-999.0”, “-999.00”).",
        ),
        (
            "",
            "TEXT",
            "31.12.2025 x 1.2.2025 01.02.2025",
            "The column x is TEXT and keeps its fields as they are: 3 of 4 fields have a date that SQLite does not read, such as “31.12.2025”, “1.2.2025”, “01.02.2025”.",
        ),
        (
            "",
            "VARCHAR(10)",
            "12/31/2025",
            "The column x is VARCHAR(10) and keeps its fields as they are: 1 of 1 field has a date that SQLite does not read, such as “12/31/2025”; ?dates=dmy or ?dates=mdy makes ISO 8601 of them.",
        ),
        (
            "dmy",
            "TEXT",
            "31.12.2025",
            "The column x is TEXT: 1 date with day, month, year became ISO 8601, such as “31.12.2025”.",
        ),
        ("", "TEXT", "2025-12-31 2025-12-31T10:00", ""),
        ("", "TEXT", "1,5 007 TRUE", ""),
    ] {
        assert_eq!(
            notice(fields, declared, &read(options)),
            wanted,
            "{options} {fields}"
        );
    }
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

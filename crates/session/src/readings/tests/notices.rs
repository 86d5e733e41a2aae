//! Tables of cases: the notices about columns.

use super::super::number::Decimal;
use super::super::{Column, DateOrder, MissingWords, Reading, ReadingOptions, sentence};
use super::column;

/// Fields of a new column, and the notice about it.
const NEW: &[(&str, &str)] = &[
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
        "The column x is TEXT: 2 fields lost the =\"…\" with which a spreadsheet marks them as texts, such as “=\"00123\"”, “=\"7\"”.",
    ),
    (
        "␣␣\"JAM\" ␣\"USA\"",
        "The column x is TEXT: 2 fields lost the quotation marks around them and the blanks before these, such as “  \\\"JAM\\\"”, “ \\\"USA\\\"”.",
    ),
    (
        "␣\"a\" b",
        "The column x stays TEXT: 1 of 2 fields has quotation marks after a blank, which become part of the text, such as “ \\\"a\\\"”; remove the blank.",
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
        "5.- CHF␣12.50",
        "The column x is REAL: 1 number lost the currency CHF; 1 number lost the hyphens that mean no fraction, such as “5.-”.",
    ),
    (
        "–5 6",
        "The column x is INTEGER: 1 number became negative by brackets or a sign that SQLite does not read, such as “–5”.",
    ),
    (
        "1E1 1E2 3",
        "The column x stays TEXT: 2 of 3 fields have digits, E and digits, as in codes, such as “1E1”, “1E2”; ?decimal=. reads them as numbers with an exponent.",
    ),
    (
        "2e3 1.5",
        "The column x is REAL: fields such as “2e3” were read as numbers with an exponent; if they are codes, load them into a table that has the column as TEXT.",
    ),
    ("1e-05 2.5E+07", ""),
    (
        "(1) (2)",
        "The column x stays TEXT: all of its fields are numbers in brackets or with a hyphen after them, which may be notes or negative numbers, such as “(1)”, “(2)”.",
    ),
    (
        "TRUE 1 0 FALSE",
        "The column x stays TEXT: 2 of 4 fields are true or false and the others numbers, such as “TRUE”, “1”.",
    ),
    (
        "1.5 2 inf -Infinity",
        "The column x stays TEXT: 2 of 4 fields are numbers, 2 do not fit: “inf”, “-Infinity”.",
    ),
    (
        "1.5 <0.006 [98] 3",
        "The column x stays TEXT: 2 of 4 fields are numbers, 2 do not fit: “<0.006”, “[98]”.",
    ),
    ("1.5 2 north south", ""),
    ("<1 <2 <3 4", ""),
    (
        "€1.234 €5.678",
        "The column x is REAL: 2 numbers lost the currency €; fields such as “€1.234”, “€5.678” were read with a decimal point; load again with ?decimal=, if the points separate thousands, or with ?decimal=. if they do not.",
    ),
    (
        "€5 5␣EUR",
        "The column x is INTEGER: 2 numbers lost the currency €.",
    ),
    (
        "1,234 5,678",
        "The column x stays TEXT: in fields such as “1,234”, “5,678”, the separator may be for thousands or for a fraction; choose with ?decimal=. or ?decimal=,.",
    ),
    (
        "01/02/2025",
        "The column x stays TEXT: its fields are dates such as “01/02/2025”, of which the day or the month may be first; choose with ?dates=dmy or ?dates=mdy, which converts them to ISO 8601.",
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
        "The column x stays TEXT: its fields are dates with years of two digits, such as “31.12.25”; write years with four.",
    ),
    (
        "31.12.2025 1.2.25 2.2.25 3.2.25",
        "The column x stays TEXT: its fields are dates, 3 of them with years of two digits, such as “1.2.25”, “2.2.25”, “3.2.25”; write years with four.",
    ),
    (
        "31.12.25 1.2.25",
        "The column x stays TEXT: its fields are dates with years of two digits, such as “31.12.25”, “1.2.25”; write years with four.",
    ),
    ("1.2.25 1.10.3 2.0.11", ""),
    ("1.2.25 1.2.26 1.3.1", ""),
];

/// Options, the declared type of a column, its fields, and the notice about it.
const ADVICE: &[(&str, &str, &str, &str)] = &[
    (
        ";",
        "",
        "1.234 5 NA",
        "The column x is REAL: 1 field became NULL (“NA”); fields such as “1.234” were read with a decimal point; load again with ?decimal=, if the points separate thousands, or with ?decimal=. if they do not.",
    ),
    (
        "",
        "",
        "1.8 1.9 1.10 1.1",
        "The column x is REAL: fields such as “1.1”, “1.10” became the same number; if they are versions or codes, load them into a table that has the column as TEXT.",
    ),
    ("", "", "1.50 2.25 3.00", ""),
    ("", "", "5 5.0", ""),
    ("", "TEXT", "1.1 1.10", ""),
    ("; .", "", "1.234 5.678", ""),
    (
        "|",
        "",
        "1.234 15.678",
        "The column x is REAL: fields such as “1.234”, “15.678” were read with a decimal point; load again with ?decimal=, if the points separate thousands, or with ?decimal=. if they do not.",
    ),
    ("|", "", "1.234 15.678 0.123", ""),
    ("|", "", "1.234 15.678 5", ""),
    (".", "", "1E1 2E1", ""),
    (
        ";",
        "",
        "¥1,000 ¥500",
        "The column x is INTEGER: 1 number was read with a decimal point and separators between thousands, such as “¥1,000”; 2 numbers lost the currency ¥.",
    ),
    (";", "", "1.234 1.5", ""),
    (";", "", "0.234 1.234", ""),
    (";", "", "1234 5", ""),
    ("", "", "1.234 5.678", ""),
    (
        "mdy",
        "",
        "31/12/2025 01/02/2025",
        "The column x stays TEXT: its fields are dates, but 1 of them cannot be read with the month first (?dates=mdy), such as “31/12/2025”; ?dates=dmy fits all of them.",
    ),
    (
        "dmy",
        "",
        "12/31/2025",
        "The column x stays TEXT: its fields are dates, but 1 of them cannot be read with the day first (?dates=dmy), such as “12/31/2025”; ?dates=mdy fits all of them.",
    ),
    (
        ",",
        "",
        "1.5 2.25 3",
        "The column x stays TEXT: its fields are numbers, but 2 of them cannot be read with a decimal comma (?decimal=,), such as “1.5”, “2.25”.",
    ),
    (
        ".",
        "",
        "1,5 2",
        "The column x stays TEXT: its fields are numbers, but 1 of them cannot be read with a decimal point (?decimal=.), such as “1,5”.",
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
        "The column x is REAL and its fields were stored as SQLite reads them: its fields are numbers, but 1 of them cannot be read with a decimal comma (?decimal=,), such as “1.5”.",
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
        "The column x is VARCHAR(10) and keeps its fields as they are: 1 of 1 field has a date that SQLite does not read, such as “12/31/2025”; ?dates=dmy or ?dates=mdy converts them to ISO 8601.",
    ),
    (
        "dmy",
        "TEXT",
        "31.12.2025",
        "The column x is TEXT: 1 date with day, month, year became ISO 8601, such as “31.12.2025”.",
    ),
    ("", "TEXT", "2025-12-31 2025-12-31T10:00", ""),
    (
        "",
        "DATETIME",
        "20250102 2025-01-02",
        "The column x is DATETIME, but some fields were stored as texts: 1 of 2 fields has a date and the others numbers, such as “20250102”, “2025-01-02”.",
    ),
    ("", "TEXT", "1,5 007 TRUE", ""),
];

/// Returns the notice about an existing or a new column, as the caller reads it.
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

fn read(list: &str) -> ReadingOptions {
    let mut options = ReadingOptions::default();
    for option in list.split_whitespace() {
        match option {
            ";" => options.delimiter = Some(b';'),
            "|" => options.delimiter = Some(b'|'),
            "dmy" => options.date_order = Some(DateOrder::DayFirst),
            "mdy" => options.date_order = Some(DateOrder::MonthFirst),
            "," => options.decimal = Some(Decimal::Comma),
            "." => options.decimal = Some(Decimal::Point),
            null => options.missing = MissingWords::parse(null),
        }
    }
    options
}

#[test]
fn notices_say_what_was_done_and_why_not() {
    for (fields, wanted) in NEW {
        let said = notice(fields, "", &ReadingOptions::default());
        assert_eq!(said, *wanted, "{fields}");
    }
}

#[test]
fn advice_leads_out_of_a_doubt() {
    for (options, declared, fields, wanted) in ADVICE {
        let said = notice(fields, declared, &read(options));
        assert_eq!(said, *wanted, "{options} {fields}");
    }
}

//! The rules of abbreviations, one by one. `reach` measures their effect together.

use columns::{ColumnInfo, Mappings, find_column_of};

use super::corpus::column;

/// Checks the column that a name finds. `table` is `table: column TYPE, column TYPE`.
#[track_caller]
fn check(table: &str, name: &str, expected: Option<&str>) {
    let (table, columns) = table.split_once(": ").expect("a table and its columns");
    let columns: Vec<ColumnInfo> = columns.split(", ").map(column).collect();
    let found = find_column_of(table, &columns, name, None, &Mappings::default());
    assert_eq!(found.column.as_deref(), expected, "{name}: {found:?}");
}

#[test]
fn a_word_is_abbreviated_by_its_first_letters_its_consonants_or_its_initial() {
    let accounts = "t: acc_bal REAL, i_id INTEGER, alt REAL, crs_nm TEXT, dst_ap TEXT, wk_hrs REAL, ordQty INTEGER";
    for (name, column) in [
        ("account balance", "acc_bal"),
        ("item id", "i_id"),
        ("altitude", "alt"),
        ("course name", "crs_nm"),
        ("destination airport", "dst_ap"),
        ("week hours", "wk_hrs"),
        ("order quantity", "ordQty"),
    ] {
        check(accounts, name, Some(column));
    }
}

#[test]
fn a_word_may_end_where_nothing_marks_it() {
    let people =
        "t: EMPNO INTEGER, Bdate DATE, Essn TEXT, DName TEXT, mgrstartdate DATE, clientaddr TEXT";
    for (name, column) in [
        ("employee number", "EMPNO"),
        ("birth date", "Bdate"),
        ("employee ssn", "Essn"),
        ("department name", "DName"),
        ("manager start date", "mgrstartdate"),
        ("client address", "clientaddr"),
    ] {
        check(people, name, Some(column));
    }
}

#[test]
fn several_words_are_abbreviated_by_their_initials() {
    let table = "t: mpg REAL, qoh INTEGER, returned_yn TEXT, stu_dob DATE, ytd REAL";
    for (name, column) in [
        ("miles per gallon", "mpg"),
        ("quantity on hand", "qoh"),
        ("returned yes or no", "returned_yn"),
        ("student date of birth", "stu_dob"),
        ("year to date", "ytd"),
    ] {
        check(table, name, Some(column));
    }
    // Letters that are a word are not initials.
    check("t: id INTEGER, no INTEGER", "invoice date", None);
}

#[test]
fn the_name_of_the_table_is_silent() {
    check(
        "customers: id INTEGER, name TEXT",
        "customer id",
        Some("id"),
    );
    check("Player: pID INTEGER, pPos TEXT", "position", Some("pPos"));
    check(
        "STUDENT: STU_NUM TEXT, STU_GPA REAL",
        "student gpa",
        Some("STU_GPA"),
    );
    check(
        "STUDENT: STU_NUM TEXT, STU_GPA REAL",
        "gpa",
        Some("STU_GPA"),
    );
    // A row of this table is an order, not a customer.
    check(
        "customer_orders: id INTEGER, total REAL",
        "customer id",
        None,
    );
    check(
        "customer_orders: id INTEGER, total REAL",
        "order id",
        Some("id"),
    );
    check(
        "results: constructorId INTEGER, points REAL",
        "constructor results id",
        None,
    );
}

#[test]
fn what_stands_for_the_table_stands_for_nothing_else() {
    let customers = "customer: c_id INTEGER, c_name TEXT, c_phone TEXT";
    check(customers, "customer name", Some("c_name"));
    check(customers, "phone", Some("c_phone"));
    check(customers, "country name", None);
    check(customers, "company phone", None);
    check(
        "lineitem: l_orderkey INTEGER, l_tax REAL, l_shipmode TEXT",
        "ship mode",
        Some("l_shipmode"),
    );
}

#[test]
fn a_word_in_full_is_not_cut_up() {
    check(
        "actor: actor_id INTEGER, first_name TEXT",
        "customer id",
        None,
    );
    check("incident: incident_id INTEGER", "detention id", None);
    check("t: state TEXT", "statement", None);
    check("t: year INTEGER", "yearling", None);
    check("t: constructorId INTEGER", "constructor race id", None);
}

#[test]
fn two_columns_that_fit_alike_are_none() {
    check("t: s_no INTEGER, s_num INTEGER", "student number", None);
    check(
        "t: acc_typ TEXT, act_typ TEXT",
        "activity type",
        Some("act_typ"),
    );
    check("t: dep_nm TEXT, dpt_nm TEXT", "department name", None);
}

#[test]
fn every_letter_and_every_word_counts() {
    check("t: acc_bal_old REAL", "account balance", None);
    check("t: acc_bal REAL", "account opening balance", None);
    check("t: bal REAL", "account number", None);
    check("t: addr1 TEXT, addr2 TEXT", "address 2", Some("addr2"));
    check("t: addr1 TEXT", "address 2", None);
    check("t: adresse TEXT", "größe", None);
}

#[test]
fn hostile_names_cost_no_more_than_others() {
    let long = "ab".repeat(24);
    let columns: Vec<ColumnInfo> = (0..2_000)
        .map(|number| ColumnInfo {
            name: format!("{long}{number}"),
            ..ColumnInfo::default()
        })
        .collect();
    for name in [
        "abababab ".repeat(8),
        "a ".repeat(60),
        long.clone(),
        "a".repeat(10_000),
    ] {
        let found = find_column_of(&long, &columns, &name, None, &Mappings::default());
        assert_eq!(found.column, None, "{name}");
    }
}

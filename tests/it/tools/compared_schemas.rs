//! Verdicts compared with those of an independent validator, on random schemas and values.

use boon::{Compiler, Schemas};
use serde_json::{Map, Value, json};
use tools::arguments::check;

const NAMES: [&str; 4] = ["a", "b", "ab", "c"];
const TYPES: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];

/// A source of random numbers that are the same in each run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    fn list(&mut self, most: usize, mut one: impl FnMut(&mut Self) -> Value) -> Value {
        let count = self.below(most) + 1;
        Value::from_iter((0..count).map(|_| one(self)))
    }

    fn map(&mut self, names: &[&str], mut one: impl FnMut(&mut Self) -> Value) -> Value {
        let mut entries = Map::new();
        for _ in 0..self.below(3) + 1 {
            let name = self.one(names);
            entries.insert(name.to_owned(), one(self));
        }
        Value::Object(entries)
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 7 } else { 12 }) {
            0 => json!(null),
            1 => json!(true),
            2 => json!(self.below(4)),
            3 => self.one(&[json!(-1.5), json!(2.0), json!(1e3)]),
            4..=6 => json!(self.one(&["", "a", "ab", "abc", "b"])),
            7 | 8 => self.list(4, |chance| chance.value(depth - 1)),
            _ => self.map(&NAMES, |chance| chance.value(depth - 1)),
        }
    }

    /// Makes a schema of some keywords. It may refer to definitions from `first` on, so that no
    /// reference is circular.
    fn schema(&mut self, depth: usize, first: usize) -> Value {
        if depth == 0 {
            return json!({ "type": self.one(&TYPES) });
        }
        let mut schema = Map::new();
        for _ in 0..self.below(3) + 1 {
            let (keyword, value) = self.keyword(depth - 1, first);
            schema.insert(keyword.to_owned(), value);
        }
        Value::Object(schema)
    }

    fn keyword(&mut self, depth: usize, first: usize) -> (&'static str, Value) {
        let inner = |chance: &mut Self| chance.schema(depth, first);
        let pattern = ["^a", "b$", "^[ab]+$", "x"];
        match self.below(36) {
            0 => ("type", json!(self.one(&TYPES))),
            1 => ("enum", self.list(4, |chance| chance.value(1))),
            2 => ("const", self.value(1)),
            3 => ("minimum", json!(self.below(3))),
            4 => ("maximum", json!(self.below(3))),
            5 => ("exclusiveMinimum", json!(self.below(3))),
            6 => ("exclusiveMaximum", json!(self.below(3))),
            7 => ("multipleOf", json!(self.below(3) + 1)),
            8 => ("minLength", json!(self.below(3))),
            9 => ("maxLength", json!(self.below(3))),
            10 => ("pattern", json!(self.one(&pattern))),
            11 => ("minItems", json!(self.below(3))),
            12 => ("maxItems", json!(self.below(3))),
            13 => ("uniqueItems", json!(true)),
            14 => ("items", inner(self)),
            15 => ("items", json!(false)),
            16 => ("prefixItems", self.list(3, inner)),
            17 => ("contains", inner(self)),
            18 => ("minContains", json!(self.below(3))),
            19 => ("maxContains", json!(self.below(3))),
            20 => ("required", json!([self.one(&NAMES)])),
            21 => ("properties", self.map(&NAMES, inner)),
            22 => ("patternProperties", self.map(&pattern, inner)),
            23 => (
                "additionalProperties",
                self.one(&[json!(false), json!({ "type": "integer" })]),
            ),
            24 => ("unevaluatedProperties", json!(false)),
            25 => ("propertyNames", inner(self)),
            26 => ("minProperties", json!(self.below(3))),
            27 => (
                "dependentRequired",
                self.map(&NAMES, |chance| json!([chance.one(&NAMES)])),
            ),
            28 => ("dependentSchemas", self.map(&NAMES, inner)),
            29 => ("allOf", self.list(2, inner)),
            30 => ("anyOf", self.list(3, inner)),
            31 => ("oneOf", self.list(3, inner)),
            32 => ("not", inner(self)),
            33 => (self.one(&["if", "then", "else"]), inner(self)),
            34 => ("unevaluatedItems", json!(false)),
            _ => (
                "$ref",
                json!(format!("#/$defs/d{}", first.max(self.below(3)))),
            ),
        }
    }
}

#[test]
fn verdicts_are_those_of_an_independent_validator() {
    let mut chance = Chance(11);
    let (mut passed, mut refused) = (0, 0);
    for _ in 0..3_000 {
        let [d1, d0, value] =
            [(1, 2), (2, 1), (3, 0)].map(|(depth, first)| chance.schema(depth, first));
        let definitions = json!({ "d0": d0, "d1": d1, "d2": { "type": "string" } });
        let schema = json!({ "properties": { "value": value }, "$defs": definitions });
        let mut compiler = Compiler::new();
        let location = "https://schema.invalid/random";
        compiler.add_resource(location, schema.clone()).unwrap();
        let mut schemas = Schemas::new();
        let index = compiler.compile(location, &mut schemas).unwrap();
        for _ in 0..8 {
            let arguments = json!({ "value": chance.value(3) });
            let fits = schemas.validate(&arguments, index).is_ok();
            let verdict = check(&schema, &arguments);
            assert_eq!(fits, verdict.is_ok(), "{schema} {arguments} {verdict:?}");
            passed += usize::from(fits);
            refused += usize::from(!fits);
        }
    }
    assert!(passed > 2_000 && refused > 2_000, "{passed} {refused}");
}

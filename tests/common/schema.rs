//! Checks documents against a JSON Schema. Only the keywords that our schemas use are supported; any
//! other keyword fails the test, so that no rule is skipped.

use serde_json::Value;

/// The violations in a document, each with its place; empty if the document is valid. With `closed`,
/// fields that the schema does not name are violations.
pub fn errors(schema: &Value, document: &Value, closed: bool) -> Vec<String> {
    let mut checker = Checker { root: schema, closed, errors: Vec::new() };
    checker.check(schema, document, "$");
    checker.errors
}

struct Checker<'a> {
    root: &'a Value,
    closed: bool,
    errors: Vec<String>,
}

/// Keywords that do not constrain a document.
const SILENT: [&str; 6] = ["$schema", "title", "description", "definitions", "$id", "default"];

impl<'a> Checker<'a> {
    fn check(&mut self, schema: &'a Value, value: &Value, place: &str) {
        let rules = schema.as_object().expect("a schema is an object");
        for (word, rule) in rules {
            let holds = match word.as_str() {
                word if SILENT.contains(&word) => true,
                "$ref" => {
                    let path = rule.as_str().expect("a path").trim_start_matches('#');
                    let found = self.root.pointer(path).expect("what a $ref names");
                    self.check(found, value, place);
                    true
                }
                "type" => match rule {
                    Value::Array(any) => any.iter().any(|one| is_of(value, one)),
                    one => is_of(value, one),
                },
                "enum" => rule.as_array().expect("values").contains(value),
                "const" => rule == value,
                "minItems" => value.as_array().is_none_or(|v| v.len() as u64 >= number(rule)),
                "maxItems" => value.as_array().is_none_or(|v| v.len() as u64 <= number(rule)),
                "anyOf" | "oneOf" => rule.as_array().expect("schemas").iter().any(|one| {
                    let mut part = Checker { root: self.root, closed: self.closed, errors: vec![] };
                    part.check(one, value, place);
                    part.errors.is_empty()
                }),
                "items" => {
                    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{place}[{i}]"));
                    }
                    true
                }
                "required" => rule.as_array().expect("names").iter().all(|name| {
                    value.as_object().is_none_or(|v| v.contains_key(name.as_str().expect("a name")))
                }),
                "properties" => self.fields(rule, value, place),
                "additionalProperties" => true,
                other => panic!("the schema has the word `{other}`, which this test does not know"),
            };
            if !holds {
                let text: String = value.to_string().chars().take(80).collect();
                self.errors.push(format!("{place}: `{word}` does not hold of {text}"));
            }
        }
    }

    /// Checks the fields of an object. Returns `false` if the check is closed and a field is unknown.
    fn fields(&mut self, rules: &'a Value, value: &Value, place: &str) -> bool {
        let mut all_known = true;
        for (name, field) in value.as_object().into_iter().flatten() {
            match rules.get(name) {
                Some(rule) => self.check(rule, field, &format!("{place}.{name}")),
                None => all_known = false,
            }
        }
        all_known || !self.closed
    }
}

fn number(rule: &Value) -> u64 {
    rule.as_u64().expect("a number")
}

fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str().expect("the name of a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        other => panic!("the schema has the type `{other}`"),
    }
}

//! The settings of a deployment for threads: the environment variable `AGENT`, a JSON object, with
//! overrides for single tenants.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::limits::{DEFAULT_APPROVAL_TTL_MS, MAX_APPROVAL_TTL_MS, MAX_APPROVERS};
use crate::turn::ApprovalRules;
use base::known::{self, Given};
use base::{CommonError, Error, Result};

const FIELDS: &[&str] = &[
    "approvalTtlSeconds",
    "requireApprovers",
    "autoApproveRows",
    "modelMayDecide",
];

/// Milliseconds in a second.
const MS_OF_A_SECOND: u64 = 1_000;

/// The settings of threads.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    everybody: Tenant,
    by_tenant: HashMap<String, Tenant>,
}

/// The settings of one tenant.
#[derive(Debug, Clone, PartialEq)]
pub struct Tenant {
    /// The rules for approvals.
    pub rules: ApprovalRules,
    /// True if the model that asked a question over MCP may decide if its host cannot ask a person.
    pub model_may_decide: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            everybody: Tenant {
                rules: ApprovalRules {
                    approval_ttl_ms: DEFAULT_APPROVAL_TTL_MS,
                    write_approvers: 1,
                    auto_approve_rows: None,
                },
                model_may_decide: false,
            },
            by_tenant: HashMap::new(),
        }
    }
}

impl Settings {
    /// Parses the text of the variable. Without one, nothing is approved automatically.
    ///
    /// # Errors
    /// [`CommonError::Misconfigured`].
    pub fn parse(text: Option<&str>) -> Result<Self> {
        let mut settings = Self::default();
        let Some(text) = text else {
            return Ok(settings);
        };
        let wrong = |what: String| {
            Error::from(CommonError::Misconfigured {
                message: format!("the environment variable AGENT: {what}"),
            })
        };
        let Ok(Value::Object(mut fields)) = serde_json::from_str(text) else {
            return Err(wrong("it must be a JSON object".to_owned()));
        };
        let tenants = fields.remove("tenants");
        settings.everybody =
            overridden(&settings.everybody, &fields, &["tenants"]).map_err(wrong)?;
        match tenants {
            None => {}
            Some(Value::Object(tenants)) => {
                for (name, own) in tenants {
                    let Value::Object(own) = own else {
                        return Err(wrong(format!("the tenant {name:?} must be an object")));
                    };
                    let tenant = overridden(&settings.everybody, &own, &[])
                        .map_err(|what| wrong(format!("the tenant {name:?}: {what}")))?;
                    settings.by_tenant.insert(name, tenant);
                }
            }
            Some(_) => return Err(wrong("tenants must be an object".to_owned())),
        }
        Ok(settings)
    }

    /// Returns the settings of a tenant.
    pub fn of(&self, tenant: &str) -> &Tenant {
        self.by_tenant.get(tenant).unwrap_or(&self.everybody)
    }
}

fn overridden(
    before: &Tenant,
    fields: &Map<String, Value>,
    more: &[&str],
) -> std::result::Result<Tenant, String> {
    let names = [FIELDS, more].concat();
    known::check(Given::Field, fields.keys().map(String::as_str), &names)
        .map_err(|error| format!("{error}; {}", error.hint().unwrap_or_default()))?;
    let mut tenant = before.clone();
    let number = |name: &str, least: u64, most: u64| match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value
            .as_u64()
            .filter(|value| (least..=most).contains(value))
            .map(Some)
            .ok_or_else(|| format!("{name} must be a whole number from {least} to {most}")),
    };
    let most_seconds = MAX_APPROVAL_TTL_MS / MS_OF_A_SECOND;
    if let Some(seconds) = number("approvalTtlSeconds", 1, most_seconds)? {
        tenant.rules.approval_ttl_ms = seconds * MS_OF_A_SECOND;
    }
    if let Some(persons) = number("requireApprovers", 1, MAX_APPROVERS as u64)? {
        tenant.rules.write_approvers = usize::try_from(persons).unwrap_or(MAX_APPROVERS);
    }
    if let Some(value) = fields.get("autoApproveRows") {
        tenant.rules.auto_approve_rows = match value {
            Value::Null => None,
            value => Some(
                value
                    .as_f64()
                    .filter(|rows| *rows >= 0.0)
                    .ok_or("autoApproveRows must be a number of rows, or null")?,
            ),
        };
    }
    match fields.get("modelMayDecide") {
        None => {}
        Some(Value::Bool(may)) => tenant.model_may_decide = *may,
        Some(_) => return Err("modelMayDecide must be true or false".to_owned()),
    }
    Ok(tenant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_variable_a_person_approves_everything() {
        let settings = Settings::parse(None).expect("settings");
        let tenant = settings.of("acme");
        assert_eq!(tenant.rules.auto_approve_rows, None);
        assert_eq!(tenant.rules.write_approvers, 1);
        assert!(!tenant.model_may_decide);
    }

    #[test]
    fn a_tenant_overrides_what_holds_for_everybody() {
        let text = r#"{"approvalTtlSeconds":60,"requireApprovers":2,"tenants":{"acme":{"requireApprovers":3,"autoApproveRows":100}}}"#;
        let settings = Settings::parse(Some(text)).expect("settings");
        let (acme, other) = (settings.of("acme"), settings.of("other"));
        assert_eq!(acme.rules.approval_ttl_ms, 60_000);
        assert_eq!(
            (acme.rules.write_approvers, other.rules.write_approvers),
            (3, 2)
        );
        assert_eq!(
            (acme.rules.auto_approve_rows, other.rules.auto_approve_rows),
            (Some(100.0), None)
        );
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for (text, part) in [
            ("[]", "must be a JSON object"),
            (
                r#"{"requireAprovers":2}"#,
                "did you mean `requireApprovers`?",
            ),
            (r#"{"requireApprovers":0}"#, "from 1 to 10"),
            (r#"{"approvalTtlSeconds":99999999}"#, "approvalTtlSeconds"),
            (r#"{"autoApproveRows":"all"}"#, "autoApproveRows"),
            (r#"{"modelMayDecide":1}"#, "modelMayDecide"),
            (r#"{"tenants":{"acme":{"tenants":{}}}}"#, "\"acme\""),
        ] {
            let error = Settings::parse(Some(text)).expect_err(text);
            assert_eq!(error.code(), "MISCONFIGURED");
            assert!(error.to_string().contains(part), "{text}: {error}");
        }
    }
}

//! The state machine alone: with any events in any order, nothing runs that was not approved, and
//! nothing runs twice.

use agent::approval::{Preview, Status};
use agent::person::Person;
use agent::state::{Author, Failure, Outcome, Sender, Step, Target, Values};
use agent::turn::{
    ApprovalRules, Decision, Event, Transition, Verdict, Work, WriterOutput, advance, ask, work,
};
use serde_json::json;

/// A pseudo-random number generator (xorshift64*), so that a failure can be reproduced from its
/// seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

fn asked(id: usize) -> Values {
    let who = Sender {
        user_id: "ann".to_owned(),
        profile_id: None,
        business_id: Some("b1".to_owned()),
    };
    Values::asked(
        "question".to_owned(),
        format!("q{id}"),
        who,
        Target::Session("films".to_owned()),
    )
}

fn preview(kind: &str, sha256: &str) -> Box<Preview> {
    let told = json!({ "kind": kind, "finalSql": "x", "sha256": sha256, "estimatedRows": 5.0 });
    Box::new(serde_json::from_value(told).unwrap())
}

fn failure() -> Failure {
    Failure {
        code: "X".to_owned(),
        message: "x".to_owned(),
        hint: None,
        details: serde_json::Map::new(),
    }
}

/// Returns an event of any kind, which may or may not fit the step.
fn event(chance: &mut Chance, at: usize, values: &Values) -> Event {
    let id = format!("a{at}");
    let (named, hash) = match &values.approval {
        Some(approval) if chance.below(4) > 0 => (
            approval.approval_id.clone(),
            approval.preview.sha256.clone(),
        ),
        _ => ("other".to_owned(), "other".to_owned()),
    };
    let decided = |verdict| {
        Event::Decided(Decision {
            approval_id: named.clone(),
            sha256: hash.clone(),
            person: Person::named(&format!("p{}", at % 3)),
            verdict,
        })
    };
    let kind = ["read", "update", "delete", "insert"][chance.below(4)];
    match chance.below(14) {
        0 | 1 => Event::Wrote(WriterOutput::Query {
            sql: format!("SQL {at}"),
            explanation: String::new(),
            author: if chance.below(2) == 0 {
                Author::Model
            } else {
                Author::Planner
            },
        }),
        2 => Event::Wrote(WriterOutput::Reply {
            text: "words".to_owned(),
            outcome: Outcome::NoQuery,
            choices: Vec::new(),
        }),
        3 => Event::WritingFailed(failure()),
        4 | 5 => Event::Previewed {
            preview: preview(kind, &format!("h{at}")),
            approval_id: id,
        },
        6 => Event::Refused(failure()),
        7 | 8 => decided(Verdict::Approved),
        9 => decided(Verdict::Rejected {
            reason: None,
            revise: chance.below(2) == 0,
        }),
        10 => decided(Verdict::Edited {
            sql: format!("EDIT {at}"),
            preview: preview(kind, &format!("h{at}")),
            approval_id: id,
        }),
        11 => Event::TimeOver,
        12 => Event::Ran(json!({ "changes": 1 })),
        _ => [
            Event::RunFailed(failure()),
            Event::Answered {
                text: "t".to_owned(),
                chart: None,
            },
        ][chance.below(2)]
        .clone(),
    }
}

#[test]
fn whatever_happens_only_what_was_approved_runs_and_each_approval_once() {
    for seed in 1..=400_u64 {
        let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let rules = ApprovalRules {
            approval_ttl_ms: 50,
            write_approvers: 1 + chance.below(2),
            auto_approve_rows: (chance.below(2) == 0).then_some(5.0),
        };
        let mut now_ms = 1_000;
        let Transition {
            mut values,
            mut step,
            ..
        } = ask(None, asked(0)).unwrap();
        let mut ran: Vec<String> = Vec::new();
        for at in 1..=120 {
            now_ms += chance.below(20) as u64;
            if step == Step::ExecuteQuery {
                let approval = values.approval.clone().unwrap();
                let is_auto = approval.status == Status::AutoApproved;
                assert!(
                    is_auto || approval.status == Status::Approved,
                    "seed {seed}"
                );
                assert!(
                    !is_auto || approval.preview.only_reads(),
                    "seed {seed}: a write ran by itself"
                );
                let wanted = if approval.preview.only_reads() {
                    1
                } else {
                    rules.write_approvers
                };
                assert!(is_auto || approval.approvers.len() >= wanted, "seed {seed}");
            }
            let (before_step, before) = (step, values.clone());
            let turned = if chance.below(10) == 0 {
                ask(Some((step, &values)), asked(at))
            } else {
                advance(
                    step,
                    &values,
                    event(&mut chance, at, &values),
                    now_ms,
                    &rules,
                )
            };
            let Ok(turned) = turned else {
                continue;
            };
            if before_step == Step::ExecuteQuery && turned.step == Step::GenerateAnswer {
                let id = before.approval.unwrap().approval_id;
                assert!(!ran.contains(&id), "seed {seed}: {id} ran twice");
                ran.push(id);
            }
            // A statement that is pending or runs is never one that a rejection or a new question
            // has cleared.
            if turned.step == Step::HumanApproval {
                let status = turned.values.approval.as_ref().unwrap().status;
                assert_eq!(status, Status::Pending, "seed {seed}");
            }
            assert_eq!(
                work(turned.step, &turned.values) == Work::Wait,
                !turned.step.is_running(),
                "seed {seed}"
            );
            assert!(
                !turned.audit.is_empty(),
                "seed {seed}: a change without a record"
            );
            (values, step) = (turned.values, turned.step);
        }
    }
}

#[test]
fn what_is_stored_is_read_back_as_it_was() {
    let text = serde_json::to_string(&asked(1)).unwrap();
    assert!(
        text.contains(r#""writtenQuery":null"#) && text.contains(r#""businessId":"b1""#),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<Values>(&text).unwrap(), asked(1));
}

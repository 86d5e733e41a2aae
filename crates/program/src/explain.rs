//! Explains an error that a program threw: names the wrong expression and the call that its value
//! came from.
//!
//! The text is parsed again and the position of the error is looked up in its tree. A hint is given
//! only if it is certain.

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{Expression, Program};
use oxc_ast_visit::VisitJs;
use oxc_span::{GetSpan, Span};

use super::origin::{Bindings, Origin, dotted, helper, object_of};
use super::parameters;
use super::reference;
use super::source::{Position, Source, number};
use super::syntax;
use crate::answered::ToolOutcomes;

/// The number of characters of an expression that a hint shows, so that the hint stays one
/// sentence.
const MAX_SHOWN_CHARACTERS: usize = 60;

/// An error that a program threw.
#[derive(Debug, Clone, Copy)]
pub struct RuntimeFailure<'a> {
    /// The name of the error, such as `TypeError`.
    pub name: &'a str,
    /// Its message.
    pub message: &'a str,
    /// The position at which it was thrown, in the text that was sent.
    pub position: Option<Position>,
    /// The results of earlier calls of server tools.
    pub answered: &'a ToolOutcomes,
}

/// Returns a hint for an error that a program threw, given the text that was sent.
pub fn explain(source: &str, failure: &RuntimeFailure<'_>) -> Option<String> {
    if let Some(known) = of_message(failure) {
        return Some(known.to_owned());
    }
    if let Some(class) = failure
        .message
        .strip_prefix("Class constructor ")
        .and_then(|rest| rest.split_once(' '))
    {
        return Some(format!("Write `new {}(…)`.", class.0));
    }
    if !matches!(failure.name, "TypeError" | "ReferenceError") {
        return None;
    }
    let source = Source::new(source);
    let allocator = Allocator::default();
    let parsed = syntax::parse(&allocator, &source).ok()?;
    let bindings = Bindings::of(&parsed.program);
    let at = failure
        .position
        .and_then(|position| parsed.text.byte(position))
        .map(number);
    if failure.name == "ReferenceError" {
        let servers = failure.answered.servers();
        return reference::explain(
            failure.message,
            parsed.text.text(),
            at,
            bindings.names(),
            servers,
        );
    }
    let scene = Scene {
        program: &parsed.program,
        bindings: &bindings,
        text: &parsed.text,
        at: at?,
        answered: failure.answered,
    };
    scene.explain(failure.message)
}

/// Returns a hint if the program used a server that is not configured, as in `helpers.pub.search()`
/// or `helpers.sql.query()`.
pub fn missing_server(source: &str, failure: &RuntimeFailure<'_>) -> Option<String> {
    let is_read = nullish_read(failure.message).is_some_and(|(value, _)| value == "undefined");
    let is_call = failure.message.ends_with("is not a function");
    if failure.name != "TypeError" || !(is_read || is_call) {
        return None;
    }
    with_scene(source, failure, |scene| {
        let asked = if is_call {
            scene.callee()?
        } else {
            let (_, property) = nullish_read(failure.message)?;
            scene.object_read(property)?
        };
        let path = scene.bindings.path(asked)?;
        reference::server(&path, failure.answered.servers())
    })
}

/// Parses the text and calls `look` with its tree and the position of the error.
fn with_scene<T>(
    source: &str,
    failure: &RuntimeFailure<'_>,
    look: impl FnOnce(&Scene<'_, '_>) -> Option<T>,
) -> Option<T> {
    let source = Source::new(source);
    let allocator = Allocator::default();
    let parsed = syntax::parse(&allocator, &source).ok()?;
    let at = parsed.text.byte(failure.position?).map(number)?;
    let bindings = Bindings::of(&parsed.program);
    look(&Scene {
        program: &parsed.program,
        bindings: &bindings,
        text: &parsed.text,
        at,
        answered: failure.answered,
    })
}

/// Returns a hint for an error whose message alone is enough.
fn of_message(failure: &RuntimeFailure<'_>) -> Option<&'static str> {
    let message = failure.message;
    let about = |part: &str| message.contains(part);
    if about("Code generation from strings disallowed") {
        return Some(
            "`eval` and `new Function` are not available: write the code itself, or choose among functions by name.",
        );
    }
    if failure.name == "SyntaxError" && about("\"[object ") {
        return Some(
            "The parsed value is already an object, not text: use it directly, without JSON.parse.",
        );
    }
    if failure.name == "SyntaxError" && (about("JSON") || about("is not valid JSON")) {
        return Some(
            "The text is not JSON. Log its beginning, and parse only JSON; rows of a query need no parsing.",
        );
    }
    if about("Maximum call stack size exceeded") {
        return Some(
            "A function calls itself without end, or far too deep. Use a loop, or check the condition that ends it.",
        );
    }
    if about("Assignment to constant variable") {
        return Some("Declare it with `let` if it must change.");
    }
    if about("Do not know how to serialize a BigInt") {
        return Some(
            "Integers beyond 2^53 are returned as BigInt. Convert them with Number(…) or String(…) before JSON.stringify.",
        );
    }
    if about("Cannot mix BigInt and other types") {
        return Some(
            "Integers beyond 2^53 are returned as BigInt. Convert with Number(…), or use BigInt on both sides.",
        );
    }
    if about("Converting circular structure to JSON") {
        return Some(
            "The value refers to itself. Return plain data: choose the fields that are needed.",
        );
    }
    if about("Invalid string length") || about("Invalid array length") {
        return Some("The value grew too large. Work in pieces, and keep large data in a table.");
    }
    None
}

struct Scene<'s, 'a> {
    program: &'s Program<'a>,
    bindings: &'s Bindings<'a>,
    text: &'s Source,
    at: u32,
    answered: &'s ToolOutcomes,
}

impl<'a> Scene<'_, 'a> {
    fn explain(&self, message: &str) -> Option<String> {
        if let Some(hint) = self.without_input(message) {
            return Some(hint);
        }
        if let Some((value, property)) = nullish_read(message) {
            return self.read(value, property);
        }
        if message.ends_with("is not a function") || message.ends_with("is not a constructor") {
            return self.call();
        }
        if message.contains("is not iterable") || message.starts_with("Spread syntax requires") {
            return self.iterate();
        }
        if message.starts_with("Cannot destructure") {
            let value = if message.ends_with("null.") {
                "null"
            } else {
                "undefined"
            };
            let target = self.find(|kind, at| match kind {
                AstKind::VariableDeclarator(it) if within(it.span, at) => it.init.as_ref(),
                AstKind::AssignmentExpression(it) if within(it.span, at) => Some(&it.right),
                _ => None,
            })?;
            return Some(self.nullish(target, value, None));
        }
        None
    }

    /// Explains a destructured parameter for which the call passed nothing, as in `main({limit =
    /// 2})` without an input.
    fn without_input(&self, message: &str) -> Option<String> {
        let property = match nullish_read(message) {
            Some(("undefined" | "null", property)) => property,
            Some(_) => return None,
            None => parameters::destructured(message)?,
        };
        let taken = parameters::taken_apart(self.program, self.at, property)?;
        Some(taken.hint(&self.show(taken.pattern)))
    }

    /// Returns the innermost expression that `pick` accepts at the position.
    fn find(
        &self,
        pick: impl Fn(&AstKind<'a>, u32) -> Option<&'a Expression<'a>>,
    ) -> Option<&'a Expression<'a>> {
        let mut finder = Finder {
            pick,
            at: self.at,
            found: None,
        };
        finder.visit_program(self.program);
        finder.found.map(|(_, expression)| expression)
    }

    /// Explains a property of undefined or null that was read or set.
    fn read(&self, value: &str, property: &str) -> Option<String> {
        let object = self.object_read(property)?;
        Some(self.nullish(object, value, Some(property)))
    }

    /// Returns the object whose property was read or set.
    fn object_read(&self, property: &str) -> Option<&'a Expression<'a>> {
        let object = self.find(|kind, at| {
            let (object, key) = match kind {
                AstKind::StaticMemberExpression(it) => {
                    (&it.object, Some(it.property.name.as_str()))
                }
                AstKind::ComputedMemberExpression(it) => (&it.object, None),
                AstKind::PrivateFieldExpression(it) => (&it.object, Some(it.field.name.as_str())),
                AstKind::AssignmentExpression(it)
                    if it.left.span().end <= at && at <= it.right.span().start =>
                {
                    return it.left.as_member_expression().map(|member| member.object());
                }
                AstKind::VariableDeclarator(it) if within(it.id.span(), at) => {
                    return it.init.as_ref();
                }
                _ => return None,
            };
            let here = object.span().end <= at && at < kind.span().end;
            (here && key.is_none_or(|key| key == property)).then_some(object)
        });
        // For `a.b++` V8 gives the position of the whole expression, not of the property.
        object.or_else(|| {
            self.find(|kind, at| match kind {
                AstKind::UpdateExpression(it) if it.span.start == at => it
                    .argument
                    .as_member_expression()
                    .map(|member| member.object()),
                AstKind::AssignmentExpression(it) if it.span.start == at => {
                    it.left.as_member_expression().map(|member| member.object())
                }
                _ => None,
            })
        })
    }

    fn nullish(&self, object: &Expression<'a>, value: &str, property: Option<&str>) -> String {
        let shown = self.show(object.span());
        let Some(origin) = self.bindings.origin(object) else {
            let fix = match property {
                Some(property) => format!("check it before reading `{property}`"),
                None => "check it before destructuring it".to_owned(),
            };
            return format!("`{shown}` is {value}: {fix}.");
        };
        if !origin.awaited {
            return self.missing_await(&origin);
        }
        let from = self.from(&origin, object);
        if is_tool(&origin.call) && is_of_the_protocol(object, &origin) {
            let answered = self.answered.of(&origin.call);
            let answered = answered.map_or_else(String::new, |answered| format!(": {answered}"));
            return format!(
                "`{shown}` is {value}; {from}, which returns the data itself and not the MCP result{answered}. {{returnFormat: \"raw\"}} returns that result."
            );
        }
        let method = origin.call.rsplit('.').next().unwrap_or("");
        let fix = match (method, &origin.variable) {
            ("query" | "getTables" | "getColumns", Some(variable)) if element(object) => {
                format!(", which may have returned no rows: check `{variable}.length` first")
            }
            ("query", None) if element(object) => {
                ", which may have returned no rows: check its length first".to_owned()
            }
            ("query", _) if object_of(object).is_none() => {
                ", which may have returned no rows: check for that first".to_owned()
            }
            ("query", _) => ": check the names of the columns that it returns".to_owned(),
            ("getState", _) => {
                ", which returns null if nothing was saved under that key".to_owned()
            }
            ("findColumn", _) => ", which returns null if no column matches".to_owned(),
            _ => self.look_at(&origin.call),
        };
        format!("`{shown}` is {value}; {from}{fix}.")
    }

    /// Returns true if the called expression has type arguments, as in `a < b, c > (d)`.
    fn has_type_arguments(&self) -> bool {
        let with_types = self.find(|kind, at| match kind {
            AstKind::CallExpression(it)
                if within(it.callee.span(), at) && it.type_arguments.is_some() =>
            {
                Some(&it.callee)
            }
            _ => None,
        });
        let called = self.callee().map(GetSpan::span);
        with_types
            .map(GetSpan::span)
            .is_some_and(|span| Some(span) == called)
    }

    /// Returns the called expression. If a method has the name of a keyword, V8 gives the position
    /// of the bracket behind it.
    fn callee(&self) -> Option<&'a Expression<'a>> {
        self.find(|kind, at| match kind {
            AstKind::CallExpression(it)
                if within(it.callee.span(), at) || it.callee.span().end == at =>
            {
                Some(&it.callee)
            }
            AstKind::NewExpression(it) if within(it.span, at) => Some(&it.callee),
            AstKind::TaggedTemplateExpression(it) if within(it.span, at) => Some(&it.tag),
            _ => None,
        })
    }

    /// Explains a call of something that is not a function.
    fn call(&self) -> Option<String> {
        let callee = self.callee()?;
        if self.has_type_arguments() {
            return Some(format!(
                "`{}<…>(…)` is a call with type arguments, as TypeScript reads it. If these are comparisons, put each in parentheses.",
                self.show(callee.span())
            ));
        }
        if let Some(path) = dotted(callee)
            && let Some(hint) = reference::method(&path)
        {
            return Some(hint);
        }
        let Some(object) = object_of(callee) else {
            let shown = self.show(callee.span());
            let origin = self.bindings.origin(callee)?;
            return Some(format!(
                "`{shown}` is a value, not a function; {}.",
                self.from(&origin, callee)
            ));
        };
        let shown = self.show(object.span());
        let Some(origin) = self.bindings.origin(object) else {
            // A promise does not have the methods of lists and texts.
            let called = matches!(object.get_inner_expression(), Expression::CallExpression(_));
            return called
                .then(|| format!("If `{shown}` is async, await it first: `(await {shown})`."));
        };
        if !origin.awaited {
            return Some(self.missing_await(&origin));
        }
        let method = match callee.get_inner_expression() {
            Expression::StaticMemberExpression(it) => it.property.name.as_str(),
            _ => "of that name",
        };
        let from = self.from(&origin, object);
        Some(format!(
            "`{shown}` has no function {method}; {from}{}.",
            self.look_at(&origin.call)
        ))
    }

    /// Explains the iteration of something that is not iterable.
    fn iterate(&self) -> Option<String> {
        let target = self.find(|kind, at| match kind {
            AstKind::ForOfStatement(it) if within(it.right.span(), at) => Some(&it.right),
            AstKind::SpreadElement(it) if within(it.span, at) => Some(&it.argument),
            AstKind::VariableDeclarator(it) if within(it.span, at) => it.init.as_ref(),
            AstKind::CallExpression(it) if within(it.span, at) => {
                it.arguments.iter().find_map(|one| match one {
                    oxc_ast::ast::Argument::SpreadElement(spread) => Some(&spread.argument),
                    _ => None,
                })
            }
            AstKind::NewExpression(it) if within(it.span, at) => {
                it.arguments.first()?.as_expression()
            }
            _ => None,
        })?;
        let shown = self.show(target.span());
        let Some(origin) = self.bindings.origin(target) else {
            return Some(format!(
                "`{shown}` is not a list: check it with Array.isArray, or use Object.entries for an object."
            ));
        };
        if origin.call.ends_with(".stream") {
            return Some(format!(
                "{} returns its rows one at a time: use `for await (const row of …)`.",
                origin.call
            ));
        }
        if !origin.awaited {
            return Some(self.missing_await(&origin));
        }
        Some(format!(
            "`{shown}` is not a list; {}{}.",
            self.from(&origin, target),
            self.look_at(&origin.call)
        ))
    }

    fn missing_await(&self, origin: &Origin) -> String {
        format!(
            "`await` is missing before {} on line {}.",
            origin.call,
            self.line(origin)
        )
    }

    fn from(&self, origin: &Origin, object: &Expression<'a>) -> String {
        let (call, line) = (&origin.call, self.line(origin));
        match &origin.variable {
            Some(variable) => format!("`{variable}` came from {call} on line {line}"),
            None if helper(object).is_some() => format!("it is part of {call}"),
            None => format!("it came from {call} on line {line}"),
        }
    }

    /// Suggests how to examine a value that was not as expected, by the call that it came from.
    fn look_at(&self, call: &str) -> String {
        if !is_tool(call) {
            return ": look at what it returns".to_owned();
        }
        match self.answered.of(call) {
            Some(answered) => format!(": {answered}"),
            // The call never left the program, or the run has called too many tools to remember
            // this one.
            None => ": a failed call returns {ok: false, error}, and the log gives the reason"
                .to_owned(),
        }
    }

    fn line(&self, origin: &Origin) -> u32 {
        self.text.line_of(origin.at as usize).0
    }

    fn show(&self, span: Span) -> String {
        let text = self
            .text
            .text()
            .get(span.start as usize..span.end as usize)
            .unwrap_or("");
        let mut characters = text.chars().map(|character| {
            if character.is_whitespace() {
                ' '
            } else {
                character
            }
        });
        let mut shown: String = characters.by_ref().take(MAX_SHOWN_CHARACTERS).collect();
        if characters.next().is_some() {
            shown.push('…');
        }
        shown
    }
}

/// Returns true for an element of a list: `rows[0]`, `rows.at(0)`, `rows.find(…)`.
fn element(expression: &Expression<'_>) -> bool {
    match expression.get_inner_expression() {
        Expression::ComputedMemberExpression(_) => true,
        Expression::CallExpression(call) => match call.callee.get_inner_expression() {
            Expression::StaticMemberExpression(it) => matches!(
                it.property.name.as_str(),
                "at" | "find" | "pop" | "shift" | "findLast"
            ),
            _ => false,
        },
        _ => false,
    }
}

/// Parses the value and the property from `Cannot read properties of undefined (reading 'x')`.
fn nullish_read(message: &str) -> Option<(&str, &str)> {
    let rest = message
        .strip_prefix("Cannot read properties of ")
        .or_else(|| message.strip_prefix("Cannot set properties of "))?;
    let (value, rest) = rest.split_once(' ')?;
    let property = rest
        .split_once('\'')
        .and_then(|(_, rest)| rest.rsplit_once('\''))
        .map_or("", |(property, _)| property);
    Some((value, property))
}

/// Returns true if the call is one of a server's tool.
fn is_tool(call: &str) -> bool {
    let own = [
        "helpers.db.",
        "helpers.schema.",
        "helpers.search",
        "helpers.describe",
    ];
    call.starts_with("helpers.") && !own.iter().any(|beginning| call.starts_with(beginning))
}

/// Returns true if the program read a field that only the raw protocol result has:
/// `answer.content`, or `content` destructured from it.
fn is_of_the_protocol(object: &Expression<'_>, origin: &Origin) -> bool {
    let parts = ["content", "structuredContent"];
    match object.get_inner_expression() {
        Expression::StaticMemberExpression(it) => parts.contains(&it.property.name.as_str()),
        Expression::Identifier(it) => {
            parts.contains(&it.name.as_str()) && origin.variable.as_deref() == Some(&it.name)
        }
        _ => false,
    }
}

fn within(span: Span, at: u32) -> bool {
    span.start <= at && at < span.end
}

struct Finder<'a, P> {
    pick: P,
    at: u32,
    found: Option<(u32, &'a Expression<'a>)>,
}

impl<'a, P: Fn(&AstKind<'a>, u32) -> Option<&'a Expression<'a>>> VisitJs<'a> for Finder<'a, P> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        let Some(expression) = (self.pick)(&kind, self.at) else {
            return;
        };
        let size = kind.span().size();
        if self.found.is_none_or(|(smallest, _)| size <= smallest) {
            self.found = Some((size, expression));
        }
    }
}

//! An operation as callers see it. The type of its arguments declares it, beside its handler.

use serde_json::Value;

use crate::shape::{Field, References, object};

/// Everything that is said of an operation; its routes, tools, helpers and references follow from it.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// Its name in requests.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its description for models, as the compiler has it of a documentation comment.
    pub description: &'static str,
    /// Its effect on the object.
    pub effect: Effect,
    /// Its arguments.
    pub fields: &'static [Field],
    /// The names of the definitions of its responses.
    pub output: &'static [&'static str],
    /// Its own route; without one it is reached by its name.
    pub route: Option<Route>,
    /// The codes of errors that are its own.
    pub errors: &'static [&'static str],
    /// JSON texts of arguments that show how it is used, by name.
    pub examples: &'static [(&'static str, &'static str)],
    /// The same of arguments that name what only some object has.
    pub sample: Option<&'static str>,
    /// Its tool over MCP.
    pub tool: Option<Tool>,
}

/// The tool of MCP that stands for an operation. Every endpoint has its list in the context of a model before it has done anything, so it says
/// only what a model would not guess.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Its name, where that is not the operation's.
    pub name: Option<&'static str>,
    /// Its description for models.
    pub description: &'static str,
    /// Its arguments.
    pub arguments: &'static [Argument],
    /// JSON text of the properties of its structured content, beside those that every result has.
    pub output: &'static str,
    /// Whether a host shows the object with the result.
    pub is_shown: bool,
    /// The text of its result.
    pub text: Text,
}

/// The text of a tool's result.
#[derive(Debug, Clone, Copy)]
pub enum Text {
    /// The sentences that a function makes of the response.
    Words(Words),
    /// The items of a page.
    Page(Pages),
}

impl Tool {
    /// A tool whose result is told in sentences.
    pub const fn new(
        description: &'static str,
        arguments: &'static [Argument],
        output: &'static str,
        words: Words,
    ) -> Self {
        Self {
            name: None,
            description,
            arguments,
            output,
            is_shown: false,
            text: Text::Words(words),
        }
    }

    /// A tool whose result is a page.
    pub const fn of_pages(
        description: &'static str,
        arguments: &'static [Argument],
        output: &'static str,
        pages: Pages,
    ) -> Self {
        Self {
            name: None,
            description,
            arguments,
            output,
            is_shown: false,
            text: Text::Page(pages),
        }
    }

    /// The same under a name that is not the operation's.
    pub const fn named(self, name: &'static str) -> Self {
        Self {
            name: Some(name),
            ..self
        }
    }

    /// The same, with whose result a host shows the object.
    pub const fn shown(self) -> Self {
        Self {
            is_shown: true,
            ..self
        }
    }
}

/// A function that makes sentences of a response. Its second argument names the object of an id.
pub type Words = fn(&Value, &dyn Fn(&Value) -> String) -> String;

/// The items of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// Nodes and edges.
    State,
    /// Nodes that were found.
    Nodes,
    /// Steps of the history.
    Steps,
}

/// An argument of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// The field of the operation that it is.
    pub field: &'static str,
    /// JSON text of its schema, where that is not the field's without its bounds.
    pub schema: Option<&'static str>,
    /// Whether it must be there although the operation does without it.
    pub is_required: bool,
}

impl Argument {
    /// An argument that has the name of its field.
    pub const fn new(field: &'static str) -> Self {
        Self {
            name: field,
            field,
            schema: None,
            is_required: false,
        }
    }

    /// The same under another name.
    pub const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// The same with a schema of its own.
    pub const fn shown(self, schema: &'static str) -> Self {
        Self {
            schema: Some(schema),
            ..self
        }
    }

    /// The same, which must be there.
    pub const fn required(self) -> Self {
        Self {
            is_required: true,
            ..self
        }
    }
}

/// A route that is one operation.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// Its name in logs.
    pub name: &'static str,
    /// The method of HTTP.
    pub method: &'static str,
    /// The path with its parameters in braces.
    pub path: &'static str,
    /// One line for the documents.
    pub summary: &'static str,
    /// The size of its body.
    pub body: Body,
    /// The parameters that its query string may have.
    pub parameters: &'static [&'static str],
}

/// The size that the body of a request may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// There is no body.
    None,
    /// That of a request.
    Request,
    /// That of a batch.
    Batch,
}

impl Route {
    /// A route that reads.
    pub const fn read(
        name: &'static str,
        path: &'static str,
        summary: &'static str,
        parameters: &'static [&'static str],
    ) -> Self {
        Self {
            name,
            method: "GET",
            path,
            summary,
            body: Body::None,
            parameters,
        }
    }

    /// A route that changes something, or whose arguments need a body.
    pub const fn write(
        name: &'static str,
        method: &'static str,
        path: &'static str,
        summary: &'static str,
        body: Body,
    ) -> Self {
        Self {
            name,
            method,
            path,
            summary,
            body,
            parameters: &[],
        }
    }

    /// The same, with parameters in its query string.
    pub const fn with_parameters(self, parameters: &'static [&'static str]) -> Self {
        Self { parameters, ..self }
    }
}

impl Declaration {
    /// Returns its description without the space in front of a comment's text.
    pub fn description(&self) -> &'static str {
        self.description.trim()
    }

    /// Returns an argument.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns the JSON Schema of its arguments.
    pub fn input(&self) -> Value {
        let mut input = object(self.fields, References::Kept);
        let sample = self
            .sample
            .and_then(|text| serde_json::from_str::<Value>(text).ok());
        if let (Value::Object(members), Some(sample)) = (&mut input, sample) {
            members.insert("examples".to_owned(), vec![sample].into());
        }
        input
    }

    /// Returns true if arguments name objects, or items within them do.
    pub fn names_objects(&self) -> bool {
        let within = |field: &Field| {
            let definition = field.shape.definition();
            definition.is_some_and(|found| found.fields.iter().any(|field| field.names_objects))
        };
        self.fields
            .iter()
            .any(|field| field.names_objects || within(field))
    }

    /// Returns its first argument that must be there.
    pub fn first_required(&self) -> Option<&'static str> {
        let first = self.fields.iter().find(|field| field.required);
        first.map(|field| field.name)
    }
}

/// The effect of an operation on its object, as hosts are told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    /// It changes nothing.
    pub read_only: bool,
    /// It may take something away.
    pub destructive: bool,
    /// The second of two same requests changes nothing more.
    pub idempotent: bool,
}

impl Effect {
    /// It reads.
    pub const READS: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
    };
    /// It adds or changes.
    pub const WRITES: Self = Self {
        read_only: false,
        destructive: false,
        idempotent: false,
    };
    /// It takes away.
    pub const REMOVES: Self = Self {
        destructive: true,
        ..Self::WRITES
    };

    /// The same, where a repetition changes nothing more.
    pub const fn once(self) -> Self {
        Self {
            idempotent: true,
            ..self
        }
    }
}

/// A type of arguments that is an operation.
pub trait Declared {
    /// The operation.
    const DECLARATION: Declaration;
}

/// Makes the type of an operation's arguments, as `arguments!` does, and declares the operation: the type's comment describes it.
#[macro_export]
macro_rules! operation {
    (
        $(#[doc = $words:literal])+
        $vis:vis struct $type:ident $(<$life:lifetime>)? { $($fields:tt)* }
        name: $name:literal,
        title: $title:literal,
        effect: $effect:expr,
        output: $($output:literal)|+,
        $(route: $route:expr,)?
        $(errors: $errors:expr,)?
        $(example: $example:literal,)?
        $(examples: [$(($shown:literal, $arguments:literal)),* $(,)?],)?
        $(sample: $sample:literal,)?
        $(tool: $tool:expr,)?
    ) => {
        $crate::arguments! {
            $(#[doc = $words])+
            $vis struct $type $(<$life>)? { $($fields)* }
        }

        impl $(<$life>)? $crate::declaration::Declared for $type $(<$life>)? {
            const DECLARATION: $crate::declaration::Declaration = $crate::declaration::Declaration {
                name: $name,
                title: $title,
                description: concat!($($words),+),
                effect: $effect,
                fields: <Self as $crate::arguments::Arguments>::FIELDS,
                output: &[$($output),+],
                route: $crate::operation!(@option $($route)?),
                errors: $crate::operation!(@list $($errors)?),
                examples: &[$(($name, $example),)? $($(($shown, $arguments)),*)?],
                sample: $crate::operation!(@option $($sample)?),
                tool: $crate::operation!(@option $($tool)?),
            };
        }
    };
    (@option) => { None };
    (@option $value:expr) => { Some($value) };
    (@list) => { &[] };
    (@list $list:expr) => { &$list };
}

/// Makes the enumeration of an object's operations, their list, and the ways from a name to both.
#[macro_export]
macro_rules! list {
    ($($name:ident,)*) => {
        /// An operation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Id {
            $(
                #[doc = concat!("[`", stringify!($name), "`]")]
                $name,
            )*
        }

        /// Every operation with its declaration, in the order of lists.
        pub const OPERATIONS: &[(Id, $crate::declaration::Declaration)] =
            &[$((Id::$name, <$name as $crate::declaration::Declared>::DECLARATION),)*];

        impl Id {
            /// Returns its declaration.
            pub fn declaration(self) -> &'static $crate::declaration::Declaration {
                match self {
                    $(Self::$name => &const { <$name as $crate::declaration::Declared>::DECLARATION },)*
                }
            }
        }

        /// Returns the operation of a name.
        pub fn find(name: &str) -> Option<(Id, &'static $crate::declaration::Declaration)> {
            let found = OPERATIONS.iter().find(|(_, declared)| declared.name == name);
            found.map(|(id, declared)| (*id, declared))
        }

        /// The names of all operations, in the same order.
        pub const NAMES: &[&str] =
            &[$(<$name as $crate::declaration::Declared>::DECLARATION.name,)*];
    };
}

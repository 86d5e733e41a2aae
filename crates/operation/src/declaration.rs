//! The description of an operation for its callers. It is declared with the type of the operation's
//! arguments, next to the handler.

use serde_json::Value;

use crate::shape::{Field, References, object};

/// The declaration of an operation; its routes, tools, helpers and references follow from it.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// Its name in requests.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its description for models: the text of a documentation comment.
    pub description: &'static str,
    /// Its effect on the object.
    pub effect: Effect,
    /// Its arguments.
    pub fields: &'static [Field],
    /// The names of the schema definitions that describe its responses.
    pub output: &'static [&'static str],
    /// Its own HTTP route. An operation without one is called by its name in the body of a request.
    pub route: Option<Route>,
    /// The error codes that this operation can return in addition to the common ones.
    pub errors: &'static [&'static str],
    /// JSON texts of arguments as examples, by name.
    pub examples: &'static [(&'static str, &'static str)],
    /// An example that only works in an object that contains the things that the example names.
    pub sample: Option<&'static str>,
    /// Its tool over MCP.
    pub tool: Option<Tool>,
}

/// The MCP tool for an operation. The list of tools fills the context of a model from the start, so
/// a description has only facts that a model would not guess.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Its name, if it differs from the operation's.
    pub name: Option<&'static str>,
    /// Its description for models.
    pub description: &'static str,
    /// Its arguments.
    pub arguments: &'static [Argument],
    /// JSON text of the properties of its structured content, in addition to those of every result.
    pub output: &'static str,
    /// True if a host shows the object with the result.
    pub is_shown: bool,
    /// The text of its result.
    pub text: Text,
}

/// The text of a tool's result.
#[derive(Debug, Clone, Copy)]
pub enum Text {
    /// Sentences that a function makes from the response.
    Words(Words),
    /// The items of a page.
    Page(Pages),
}

impl Tool {
    /// Creates a tool whose result is described in sentences.
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

    /// Creates a tool whose result is a page.
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

    /// Returns the tool under another name than the operation's.
    pub const fn named(self, name: &'static str) -> Self {
        Self {
            name: Some(name),
            ..self
        }
    }

    /// Returns the tool with a result that a host shows with the object.
    pub const fn shown(self) -> Self {
        Self {
            is_shown: true,
            ..self
        }
    }
}

/// A function that makes sentences from a response. Its second argument returns the name of the
/// object with an id.
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
    /// The field of the operation that it sets.
    pub field: &'static str,
    /// JSON text of its schema, if it differs from the field's schema without bounds.
    pub schema: Option<&'static str>,
    /// True if it is required although the operation does not require it.
    pub is_required: bool,
}

impl Argument {
    /// Creates an argument with the name of its field.
    pub const fn new(field: &'static str) -> Self {
        Self {
            name: field,
            field,
            schema: None,
            is_required: false,
        }
    }

    /// Returns the argument under another name.
    pub const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Returns the argument with a schema of its own.
    pub const fn shown(self, schema: &'static str) -> Self {
        Self {
            schema: Some(schema),
            ..self
        }
    }

    /// Returns the argument as a required one.
    pub const fn required(self) -> Self {
        Self {
            is_required: true,
            ..self
        }
    }
}

/// A route for one operation.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// Its name in logs.
    pub name: &'static str,
    /// The HTTP method.
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
    /// The size of a request.
    Request,
    /// The size of a batch.
    Batch,
}

impl Route {
    /// Creates a route that reads.
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

    /// Creates a route that changes something, or whose arguments need a body.
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

    /// Returns the route with parameters in its query string.
    pub const fn with_parameters(self, parameters: &'static [&'static str]) -> Self {
        Self { parameters, ..self }
    }
}

impl Declaration {
    /// Returns its description without the leading space of a comment.
    pub fn description(&self) -> &'static str {
        self.description.trim()
    }

    /// Returns the argument with this name.
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

    /// Returns true if arguments, or items within them, name objects.
    pub fn names_objects(&self) -> bool {
        let within = |field: &Field| {
            let definition = field.shape.definition();
            definition.is_some_and(|found| found.fields.iter().any(|field| field.names_objects))
        };
        self.fields
            .iter()
            .any(|field| field.names_objects || within(field))
    }

    /// Returns the name of its first required argument.
    pub fn first_required(&self) -> Option<&'static str> {
        let first = self.fields.iter().find(|field| field.required);
        first.map(|field| field.name)
    }
}

/// The effect of an operation on its object, as reported to hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effect {
    /// True if it changes nothing.
    pub read_only: bool,
    /// True if it may remove something.
    pub destructive: bool,
    /// True if a repeated request changes nothing more.
    pub idempotent: bool,
}

impl Effect {
    /// The effect of reading.
    pub const READS: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
    };
    /// The effect of adding or changing.
    pub const WRITES: Self = Self {
        read_only: false,
        destructive: false,
        idempotent: false,
    };
    /// The effect of removing.
    pub const REMOVES: Self = Self {
        destructive: true,
        ..Self::WRITES
    };

    /// Returns the effect for an operation that changes nothing when repeated.
    pub const fn once(self) -> Self {
        Self {
            idempotent: true,
            ..self
        }
    }
}

/// A type of arguments that declares an operation.
pub trait Declared {
    /// The operation.
    const DECLARATION: Declaration;
}

/// Makes the type of an operation's arguments, as `arguments!` does, and declares the operation.
/// The type's comment describes it.
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

/// Makes the enumeration of an object's operations, their list, and lookups by name.
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

        /// Returns the operation with this name.
        pub fn find(name: &str) -> Option<(Id, &'static $crate::declaration::Declaration)> {
            let found = OPERATIONS.iter().find(|(_, declared)| declared.name == name);
            found.map(|(id, declared)| (*id, declared))
        }

        /// The names of all operations, in the same order.
        pub const NAMES: &[&str] =
            &[$(<$name as $crate::declaration::Declared>::DECLARATION.name,)*];
    };
}

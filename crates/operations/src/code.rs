//! The operations of a code workspace. Over HTTP each is a body with its name, in programs a method of `helpers.code(…)`, over MCP a tool.

type Operation = super::Operation<Id>;

include!(concat!(env!("OUT_DIR"), "/code.rs"));

/// Who answers them, as `calls` of a program names it.
pub const SERVER: &str = "code";

/// The operation of a name.
pub fn find(name: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_says_what_it_is_and_stands_once() {
        for operation in OPERATIONS {
            let name = operation.name;
            assert_eq!(operation.server, SERVER, "{name}");
            assert!(
                !operation.title.is_empty() && !operation.description.is_empty(),
                "{name}"
            );
            assert!(
                operation.declaration.contains(&format!("{name}(")),
                "{name}"
            );
            assert!(!(operation.read_only && operation.destructive), "{name}");
            assert_eq!(find(name), Some(operation), "{name} stands there twice");
        }
    }
}

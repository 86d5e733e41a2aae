//! The instructions of SQLite's virtual machine, as far as a bound needs to know them: where
//! control may go next, which registers are written, and what one execution costs.
//!
//! The list is that of SQLite 3.54 (`opcodes.h`, and the comments of `sqlite3VdbeExec`). A program
//! with an instruction that is not listed is unreadable, and an unreadable program is refused.

/// The instructions to which control may go after an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// To P2.
    Goto,
    /// To the next instruction, or to P2 if P2 is not 0.
    Branch,
    /// To P1, P2 or P3.
    Jump,
    /// A seek: to the next instruction, past it, or to P2.
    Seek,
    /// A scan that runs instead of the seek that follows.
    SeekScan,
    /// To P2 for each further row of the cursor P1, else to the next instruction.
    Step,
    /// To the next instruction once in a run of the program, else to P2.
    Once,
    /// To the subroutine at P2, and back to the next instruction.
    Gosub,
    /// To the address in the register P1.
    Return,
    /// Starts a coroutine: to P2 if it is not 0, else to the next instruction.
    InitCoroutine,
    /// Switches between a coroutine and its reader.
    Yield,
    /// Runs a sub-program, then continues with the next instruction.
    Program,
    /// To no other instruction: the program ends.
    End,
}

/// The registers that an instruction writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenRegisters {
    Nothing,
    P1,
    P2,
    P3,
    /// From P2 to P3, or P2 alone.
    P2ToP3,
    /// P3 + 1 registers from P2.
    P3MoreThanP2,
    /// P3 registers from P2.
    P3FromP2,
}

macro_rules! opcodes {
    ($($name:ident: $flow:ident, $writes:ident, $cost:literal;)*) => {
        /// The kind of an instruction.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Opcode { $($name,)* }

        impl Opcode {
            /// Returns the kind with the name that EXPLAIN shows.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($name) => Some(Self::$name),)*
                    _ => None,
                }
            }

            pub fn flow(self) -> Flow {
                match self { $(Self::$name => Flow::$flow,)* }
            }

            pub fn writes(self) -> WrittenRegisters {
                match self { $(Self::$name => WrittenRegisters::$writes,)* }
            }

            /// Returns true if the instruction jumps depending on the values of registers, as a
            /// condition does.
            pub fn compares(self) -> bool {
                matches!(
                    self,
                    Self::Eq
                        | Self::Ne
                        | Self::Lt
                        | Self::Le
                        | Self::Gt
                        | Self::Ge
                        | Self::If
                        | Self::IfNot
                        | Self::IsNull
                        | Self::NotNull
                )
            }

            /// Returns true if the instruction looks a key up in a b-tree.
            pub fn looks_up(self) -> bool {
                matches!(
                    self,
                    Self::SeekGE
                        | Self::SeekGT
                        | Self::SeekLE
                        | Self::SeekLT
                        | Self::SeekRowid
                        | Self::NotExists
                        | Self::Found
                        | Self::NotFound
                        | Self::NoConflict
                        | Self::IFindKey
                )
            }

            /// Returns the cost of one execution, in units of 10 ns, if the data is in the cache.
            /// `super::cost` adds the cost of a large table.
            pub fn cost(self) -> f64 {
                match self { $(Self::$name => $cost,)* }
            }
        }
    };
}

opcodes! {
    // Control.
    Init: Branch, Nothing, 1.0;
    Goto: Goto, Nothing, 1.0;
    Gosub: Gosub, P1, 1.0;
    Return: Return, Nothing, 1.0;
    BeginSubrtn: Next, P2ToP3, 1.0;
    InitCoroutine: InitCoroutine, P1, 1.0;
    EndCoroutine: End, P1, 1.0;
    Yield: Yield, P1, 1.0;
    HaltIfNull: Next, Nothing, 1.0;
    Halt: End, Nothing, 1.0;
    Once: Once, Nothing, 1.0;
    Program: Program, Nothing, 20.0;
    Jump: Jump, Nothing, 1.0;
    If: Branch, Nothing, 1.0;
    IfNot: Branch, Nothing, 1.0;
    IsType: Branch, Nothing, 1.0;
    IsNull: Branch, Nothing, 1.0;
    NotNull: Branch, Nothing, 1.0;
    IfNullRow: Branch, P3, 1.0;
    IfPos: Branch, Nothing, 1.0;
    IfNotZero: Branch, Nothing, 1.0;
    DecrJumpZero: Branch, Nothing, 1.0;
    MustBeInt: Branch, Nothing, 1.0;
    FkIfZero: Branch, Nothing, 1.0;
    SequenceTest: Branch, Nothing, 1.0;
    Eq: Branch, Nothing, 1.5;
    Ne: Branch, Nothing, 1.5;
    Lt: Branch, Nothing, 1.5;
    Le: Branch, Nothing, 1.5;
    Gt: Branch, Nothing, 1.5;
    Ge: Branch, Nothing, 1.5;
    ElseEq: Branch, Nothing, 1.0;
    Filter: Branch, Nothing, 3.0;
    Noop: Next, Nothing, 1.0;
    Explain: Next, Nothing, 1.0;
    Trace: Next, Nothing, 1.0;
    Abortable: Next, Nothing, 1.0;
    ReleaseReg: Next, Nothing, 1.0;
    CursorHint: Next, Nothing, 1.0;
    Expire: Next, Nothing, 1.0;
    Transaction: Next, Nothing, 1.0;
    ReadCookie: Next, P2, 1.0;
    SetCookie: Next, Nothing, 100.0;
    JournalMode: Next, P2, 100.0;
    TableLock: Next, Nothing, 1.0;
    CursorLock: Next, Nothing, 1.0;
    CursorUnlock: Next, Nothing, 1.0;

    // Cursors.
    OpenRead: Next, Nothing, 20.0;
    OpenWrite: Next, Nothing, 20.0;
    ReopenIdx: Next, Nothing, 20.0;
    OpenEphemeral: Next, Nothing, 200.0;
    OpenAutoindex: Next, Nothing, 200.0;
    OpenDup: Next, Nothing, 20.0;
    OpenPseudo: Next, Nothing, 5.0;
    SorterOpen: Next, Nothing, 200.0;
    VOpen: Next, Nothing, 50.0;
    Close: Next, Nothing, 20.0;
    ColumnsUsed: Next, Nothing, 1.0;
    NullRow: Next, Nothing, 1.0;
    Rewind: Branch, Nothing, 15.0;
    Last: Branch, Nothing, 15.0;
    Sort: Branch, Nothing, 15.0;
    SorterSort: Branch, Nothing, 100.0;
    IfEmpty: Branch, Nothing, 5.0;
    IfSizeBetween: Branch, Nothing, 5.0;
    SeekGE: Seek, Nothing, 15.0;
    SeekGT: Seek, Nothing, 15.0;
    SeekLE: Seek, Nothing, 15.0;
    SeekLT: Seek, Nothing, 15.0;
    SeekScan: SeekScan, Nothing, 12.0;
    SeekHit: Next, Nothing, 1.0;
    SeekEnd: Next, Nothing, 12.0;
    IfNoHope: Branch, Nothing, 12.0;
    SeekRowid: Branch, Nothing, 12.0;
    NotExists: Branch, Nothing, 12.0;
    Found: Branch, Nothing, 12.0;
    NotFound: Branch, Nothing, 12.0;
    NoConflict: Branch, Nothing, 12.0;
    IFindKey: Branch, Nothing, 12.0;
    DeferredSeek: Next, Nothing, 2.0;
    FinishSeek: Next, Nothing, 12.0;
    Next: Step, Nothing, 3.0;
    Prev: Step, Nothing, 3.0;
    SorterNext: Step, Nothing, 10.0;
    VNext: Step, Nothing, 10.0;
    VFilter: Branch, Nothing, 100.0;
    VColumn: Next, P3, 10.0;
    VInitIn: Next, P2, 5.0;
    VUpdate: Next, Nothing, 1500.0;
    VBegin: Next, Nothing, 10.0;
    VCreate: Next, Nothing, 1000.0;
    VDestroy: Next, Nothing, 1000.0;
    VRename: Next, Nothing, 1000.0;
    IdxLE: Branch, Nothing, 5.0;
    IdxGT: Branch, Nothing, 5.0;
    IdxLT: Branch, Nothing, 5.0;
    IdxGE: Branch, Nothing, 5.0;
    SorterCompare: Branch, Nothing, 5.0;
    RowSetAdd: Next, Nothing, 5.0;
    RowSetRead: Branch, P3, 10.0;
    RowSetTest: Branch, Nothing, 20.0;

    // Rows read and written.
    Column: Next, P3, 2.0;
    Rowid: Next, P2, 1.0;
    IdxRowid: Next, P2, 3.0;
    RowData: Next, P2, 5.0;
    SorterData: Next, P2, 5.0;
    Offset: Next, P3, 1.0;
    Count: Next, P2, 20.0;
    Sequence: Next, P2, 1.0;
    NewRowid: Next, P2, 10.0;
    MakeRecord: Next, P3, 8.0;
    TypeCheck: Next, Nothing, 3.0;
    Affinity: Next, Nothing, 2.0;
    Insert: Next, Nothing, 15.0;
    RowCell: Next, Nothing, 15.0;
    Delete: Next, Nothing, 15.0;
    IdxInsert: Next, Nothing, 20.0;
    IdxDelete: Next, Nothing, 20.0;
    SorterInsert: Next, Nothing, 25.0;
    ResetSorter: Next, Nothing, 50.0;
    ResetCount: Next, Nothing, 1.0;
    FilterAdd: Next, Nothing, 3.0;
    ResultRow: Next, Nothing, 10.0;

    // Definitions.
    CreateBtree: Next, P2, 1000.0;
    Clear: Next, Nothing, 1000.0;
    Destroy: Next, P2, 1000.0;
    ParseSchema: Next, Nothing, 1000.0;
    LoadAnalysis: Next, Nothing, 1000.0;
    DropTable: Next, Nothing, 1000.0;
    DropIndex: Next, Nothing, 1000.0;
    DropTrigger: Next, Nothing, 1000.0;
    // Prepares and runs a statement of the engine's own, such as a check of a table with generated
    // columns.
    SqlExec: Next, Nothing, 1000.0;

    // Foreign keys and triggers.
    FkCheck: Next, Nothing, 1.0;
    FkCounter: Next, Nothing, 1.0;
    Param: Next, P2, 1.0;

    // Registers.
    Integer: Next, P2, 1.0;
    Int64: Next, P2, 1.0;
    Real: Next, P2, 1.0;
    String: Next, P2, 1.0;
    String8: Next, P2, 1.0;
    Null: Next, P2ToP3, 1.0;
    SoftNull: Next, P1, 1.0;
    Blob: Next, P2, 1.0;
    Variable: Next, P2, 1.0;
    Move: Next, P3FromP2, 2.0;
    Copy: Next, P3MoreThanP2, 2.0;
    SCopy: Next, P2, 1.0;
    IntCopy: Next, P2, 1.0;
    AddImm: Next, P1, 1.0;
    OffsetLimit: Next, P2, 1.0;
    MemMax: Next, P1, 1.0;
    RealAffinity: Next, P1, 1.0;
    Cast: Next, P1, 5.0;
    Permutation: Next, Nothing, 1.0;
    Compare: Next, Nothing, 4.0;
    IsTrue: Next, P2, 1.0;
    ZeroOrNull: Next, P2, 1.0;
    Add: Next, P3, 1.5;
    Subtract: Next, P3, 1.5;
    Multiply: Next, P3, 1.5;
    Divide: Next, P3, 1.5;
    Remainder: Next, P3, 1.5;
    Concat: Next, P3, 5.0;
    BitAnd: Next, P3, 1.0;
    BitOr: Next, P3, 1.0;
    BitNot: Next, P2, 1.0;
    ShiftLeft: Next, P3, 1.0;
    ShiftRight: Next, P3, 1.0;
    And: Next, P3, 1.0;
    Or: Next, P3, 1.0;
    Not: Next, P2, 1.0;
    CollSeq: Next, P1, 1.0;
    ClrSubtype: Next, P1, 1.0;
    GetSubtype: Next, P2, 1.0;
    SetSubtype: Next, P2, 1.0;
    Function: Next, P3, 20.0;
    PureFunc: Next, P3, 20.0;
    AggStep: Next, Nothing, 6.0;
    AggStep1: Next, Nothing, 6.0;
    AggInverse: Next, Nothing, 6.0;
    AggValue: Next, P3, 6.0;
    AggFinal: Next, P1, 6.0;
}

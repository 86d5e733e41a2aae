// The lexical grammars of programming languages, as far as colours need them: comments, texts,
// numbers, keywords, names of types. A file is read line by line, and no content makes this fail:
// unknown text has no colour.

import type { StreamParser, StringStream } from "@codemirror/language";

interface Grammar {
  keywords: string;
  /** The beginning of a comment to the end of the line. */
  line?: string;
  /** The beginning and the end of a comment of several lines. */
  block?: readonly [string, string];
  /** True if such comments can be nested. */
  nested?: boolean;
  /** Marks around texts that end on their line. */
  quotes: string;
  /** Marks around texts of several lines. */
  long?: readonly string[];
  /** True if `'a` may be a name, as in Rust. */
  lifetimes?: boolean;
}

interface State {
  /** The number of open comments. */
  depth: number;
  /** The end of the open text; empty outside of one. */
  text: string;
  /** True if a backslash escapes the next character in that text. */
  escapes: boolean;
}

const C_BLOCK = ["/*", "*/"] as const;
const SCRIPT = "abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number object of override private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined unknown var void while with yield";

const RUST: Grammar = {
  keywords: "as async await box break const continue crate dyn else enum extern false fn for if impl in let loop macro_rules match mod move mut pub ref return self Self static struct super trait true type union unsafe use where while bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
  line: "//", block: C_BLOCK, nested: true, quotes: "", long: ['"'], lifetimes: true,
};
const TYPESCRIPT: Grammar = { keywords: SCRIPT, line: "//", block: C_BLOCK, quotes: "\"'", long: ["`"] };
const PYTHON: Grammar = {
  keywords: "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield match case",
  line: "#", quotes: "\"'", long: ['"""', "'''"],
};
const SHELL: Grammar = { keywords: "if then else elif fi for while until do done case esac in function return local export set unset exit", line: "#", quotes: "", long: ['"', "'"] };
const SQL: Grammar = { keywords: "select from where insert into values update set delete create table index view trigger drop alter add primary key not null unique default references foreign check on conflict and or in is as join left inner outer cross group by having order limit offset union all distinct with recursive case when then else end exists between like glob begin commit rollback pragma without rowid strict", line: "--", block: C_BLOCK, quotes: "", long: ["'", '"'] };
const C: Grammar = {
  keywords: "auto bool break case catch char class const constexpr continue default delete do double else enum extern false final float for func go goto if implements import inline int interface long map namespace new nil null nullptr package private protected public range return short signed sizeof static struct super switch template this throw throws true try type typedef typename union unsigned using var virtual void volatile while",
  line: "//", block: C_BLOCK, quotes: "\"'", long: ["`"],
};
const TOML: Grammar = { keywords: "true false", line: "#", quotes: "\"'", long: ['"""', "'''"] };
const JSON_TEXT: Grammar = { keywords: "true false null", line: "//", block: C_BLOCK, quotes: '"' };
const CSS: Grammar = { keywords: "important inherit initial unset none auto", block: C_BLOCK, quotes: "\"'" };

/** The grammars, by the ending of a file's name. */
const GRAMMARS: readonly (readonly [string, Grammar])[] = [
  ["rs", RUST],
  ["js mjs cjs jsx ts mts cts tsx", TYPESCRIPT],
  ["py pyi", PYTHON],
  ["sh bash zsh", SHELL],
  ["sql", SQL],
  ["c h cc cpp hpp cxx java go cs kt swift", C],
  ["toml yaml yml ini cfg lock", TOML],
  ["json jsonc json5", JSON_TEXT],
  ["css scss", CSS],
];

function grammarOf(path: string): Grammar | undefined {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return GRAMMARS.find(([endings]) => endings.split(" ").includes(ending))?.[1];
}

/** Returns the parser for a file; null if its language is not known. */
export function parserOf(path: string): StreamParser<State> | null {
  const grammar = grammarOf(path);
  if (grammar === undefined) return null;
  const words = new Set(grammar.keywords.split(" "));
  const isWord = (word: string) => words.has(grammar === SQL ? word.toLowerCase() : word);
  return {
    name: "words",
    startState: () => ({ depth: 0, text: "", escapes: true }),
    token: (stream, state) => token(stream, state, grammar, isWord),
  };
}

function token(stream: StringStream, state: State, grammar: Grammar, isWord: (word: string) => boolean): string | null {
  if (state.depth > 0) return inComment(stream, state, grammar);
  if (state.text !== "") return inText(stream, state);
  if (stream.eatSpace()) return null;
  if (grammar.line !== undefined && stream.match(grammar.line)) {
    stream.skipToEnd();
    return "comment";
  }
  if (grammar.block !== undefined && stream.match(grammar.block[0])) {
    state.depth = 1;
    return inComment(stream, state, grammar);
  }
  if (grammar.lifetimes === true) {
    const raw = stream.match(/^[bc]?r(#{0,255})"/);
    if (raw !== null && typeof raw === "object") return open(stream, state, `"${raw[1] ?? ""}`, false);
    if (stream.match(/^b?'(?:\\.[^']*|[^\\'])'/)) return "string";
    if (stream.match(/^'[A-Za-z_]\w*/)) return "typeName";
  }
  for (const mark of grammar.long ?? []) if (stream.match(mark)) return open(stream, state, mark, grammar !== SQL);
  const next = stream.peek() ?? "";
  if (grammar.quotes.includes(next)) return shortText(stream, next);
  if (stream.match(/^\d[\w.]*/)) return "number";
  const word = stream.match(/^[\p{L}_$][\p{L}\p{N}_$]*/u);
  if (word !== null && typeof word === "object") {
    if (isWord(word[0])) return "keyword";
    return /^\p{Lu}.*\p{Ll}/u.test(word[0]) ? "typeName" : null;
  }
  stream.next();
  return null;
}

function inComment(stream: StringStream, state: State, { block, nested }: Grammar): string {
  const [begin, end] = block ?? C_BLOCK;
  while (state.depth > 0 && !stream.eol()) {
    if (stream.match(end)) state.depth -= 1;
    else if (nested === true && stream.match(begin)) state.depth += 1;
    else stream.next();
  }
  return "comment";
}

function open(stream: StringStream, state: State, end: string, escapes: boolean): string {
  Object.assign(state, { text: end, escapes });
  return inText(stream, state);
}

function inText(stream: StringStream, state: State): string {
  while (!stream.eol()) {
    if (stream.match(state.text)) {
      state.text = "";
      break;
    }
    if (stream.next() === "\\" && state.escapes) stream.next();
  }
  return "string";
}

function shortText(stream: StringStream, mark: string): string {
  stream.next();
  for (let one = stream.next(); one !== undefined && one !== mark; one = stream.next()) if (one === "\\") stream.next();
  return "string";
}

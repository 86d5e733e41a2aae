// Compares the items of TypeScript files with the syntax tree of TypeScript's compiler, whose folder
// is the argument.
//
// Reads lines of JSON:
// {"path", "text", "items": [[kind, name, start, end], …], "parsed", "reason"}.
// Classes, functions, methods, interfaces, enums and aliases must be those of the tree, and begin
// with their documentation, their decorators and `export`. Prints a line for each difference, and
// finally the numbers of compared files and items, and of files that the compiler itself rejects.

import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const ts = createRequire(import.meta.url)(join(resolve(process.argv[2]), "lib/typescript.js"));
const COMPARED = new Set(["class", "function", "method", "interface", "enum", "type_alias"]);
const counts = { files: 0, items: 0, rejected: 0, differences: 0 };

/** Returns the start of a statement or member: its last documentation comment, or its first token. */
function start(node, file) {
  const documentation = (node.jsDoc ?? []).at(-1);
  return documentation === undefined ? node.getStart(file) : documentation.pos;
}

function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  const name = node.name;
  if (name === undefined) return "default";
  if (ts.isComputedPropertyName(name)) return ts.isStringLiteralLike(name.expression) || ts.isNumericLiteral(name.expression) ? name.expression.text : null;
  return ts.isPrivateIdentifier(name) ? name.text.slice(1) : name.text;
}

/** Returns true for the function in `const f = () => 1` or `f = function () {}`. */
const isFunction = (node) => node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

/** Yields the items of a list of statements: [kind, name, start, end]. */
function* ofStatements(statements, file, isInside) {
  for (const node of statements) {
    const span = [start(node, file), node.end];
    if (ts.isFunctionDeclaration(node)) yield ["function", nameOf(node), ...span];
    else if (ts.isInterfaceDeclaration(node)) yield ["interface", nameOf(node), ...span];
    else if (ts.isEnumDeclaration(node)) yield ["enum", nameOf(node), ...span];
    else if (ts.isTypeAliasDeclaration(node)) yield ["type_alias", nameOf(node), ...span];
    else if (ts.isClassDeclaration(node)) yield* ofClass(node, nameOf(node), span, file);
    else if (ts.isModuleDeclaration(node) && ts.isIdentifier(node.name)) {
      let body = node.body;
      while (body !== undefined && ts.isModuleDeclaration(body)) body = body.body;
      if (body !== undefined && node.name.text !== "global") yield* ofStatements(body.statements ?? [], file, true);
    } else if (ts.isVariableStatement(node)) {
      const list = node.declarationList.declarations;
      for (const variable of list) {
        if (!ts.isIdentifier(variable.name)) continue;
        const own = list.length === 1 ? span : [start(variable, file), variable.end];
        if (isFunction(variable.initializer)) yield [isInside ? "method" : "function", variable.name.text, ...own];
        else if (variable.initializer !== undefined && ts.isClassExpression(variable.initializer)) yield* ofClass(variable.initializer, variable.name.text, own, file);
      }
    } else if (ts.isExpressionStatement(node) && ts.isBinaryExpression(node.expression)) {
      const { left, right, operatorToken } = node.expression;
      if (operatorToken.kind < ts.SyntaxKind.FirstAssignment || operatorToken.kind > ts.SyntaxKind.LastAssignment || !ts.isPropertyAccessExpression(left)) continue;
      const name = ts.isPrivateIdentifier(left.name) ? null : left.name.text;
      if (name !== null && isFunction(right)) yield [isInside ? "method" : "function", name, ...span];
      else if (name !== null && ts.isClassExpression(right)) yield* ofClass(right, name, span, file);
    }
  }
}

function* ofClass(node, name, span, file) {
  yield ["class", name, ...span];
  for (const member of node.members) {
    const own = [start(member, file), member.end];
    if (ts.isMethodDeclaration(member) || ts.isAccessor(member) || ts.isConstructorDeclaration(member)) {
      const called = nameOf(member);
      if (called !== null) yield ["method", called, ...own];
    } else if (ts.isPropertyDeclaration(member) && nameOf(member) !== null) {
      if (isFunction(member.initializer)) yield ["method", nameOf(member), ...own];
      else if (member.initializer !== undefined && ts.isClassExpression(member.initializer)) yield* ofClass(member.initializer, nameOf(member), own, file);
    }
  }
}

function differ(text) {
  counts.differences += 1;
  console.log(`difference: ${text}`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { path, text, items, parsed, reason } = JSON.parse(line);
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  if (file.parseDiagnostics.length > 0) {
    counts.rejected += 1;
    console.log(`note: TypeScript rejects ${path}: ${ts.flattenDiagnosticMessageText(file.parseDiagnostics[0].messageText, " ")}`);
    continue;
  }
  counts.files += 1;
  if (!parsed) {
    differ(`${path} is not read: ${reason}`);
    continue;
  }
  const tally = new Map();
  const add = (item, by) => tally.set(JSON.stringify(item), (tally.get(JSON.stringify(item)) ?? 0) + by);
  for (const item of ofStatements(file.statements, file, false)) add(item, 1);
  for (const item of items.filter(([kind]) => COMPARED.has(kind))) {
    counts.items += 1;
    add(item, -1);
  }
  for (const [item, count] of tally) {
    if (count > 0) differ(`${path}: TypeScript alone has ${item}`);
    if (count < 0) differ(`${path}: TypeScript does not have ${item}`);
  }
}
console.log(JSON.stringify(counts));

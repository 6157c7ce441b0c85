import ts from "typescript";
import { expect, test } from "vitest";
import { sourceOf, typeProgram } from "./type-program.js";

const ENTRIES = ["index.ts", "http/index.ts", "platform/node/index.ts", "testing/index.ts", "client/index.ts"];
const program = typeProgram(["", "/http", "/node", "/testing", "/client"].map((entry) => `import "daybook${entry}";`).join("\n"));

/** The declarations that types of an entry are made of, those of the package. */
function declarationsOf(entry: string): ReadonlyMap<ts.Declaration, string> {
  const { checker } = program;
  const found = new Map<ts.Declaration, string>();
  const visit = (node: ts.Node, path: string): void => {
    // What a declaration file has of a function or member is its signature; of a private member its name, or nothing.
    if (ts.isBlock(node) || (ts.isPropertyDeclaration(node) && ts.isPrivateIdentifier(node.name))) return;
    const name = ts.isTypeReferenceNode(node) ? node.typeName : ts.isExpressionWithTypeArguments(node) || ts.isTypeQueryNode(node) ? nameOf(node) : null;
    if (name !== null) declare(checker.getSymbolAtLocation(name), path);
    ts.forEachChild(node, (child) => visit(child, path));
  };
  const declare = (given: ts.Symbol | undefined, path: string): void => {
    if (given === undefined) return;
    const symbol = (given.flags & ts.SymbolFlags.Alias) === 0 ? given : checker.getAliasedSymbol(given);
    for (const declaration of symbol.declarations ?? []) {
      if (found.has(declaration) || !declaration.getSourceFile().fileName.includes("/src/")) continue;
      found.set(declaration, `${path} > ${symbol.name}`);
      visit(declaration, `${path} > ${symbol.name}`);
    }
  };
  const moduleSymbol = checker.getSymbolAtLocation(program.file(sourceOf(entry)));
  for (const symbol of moduleSymbol === undefined ? [] : checker.getExportsOfModule(moduleSymbol)) declare(symbol, entry);
  return found;
}

function nameOf(node: ts.ExpressionWithTypeArguments | ts.TypeQueryNode): ts.Node {
  return ts.isTypeQueryNode(node) ? node.exprName : node.expression;
}

function hasPrivate(declaration: ts.Declaration): boolean {
  return ts.isClassLike(declaration) && declaration.members.some((member) => {
    const isHidden = (ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0;
    return isHidden || (member.name !== undefined && ts.isPrivateIdentifier(member.name));
  });
}

/** Made with `new`, and handed to nothing but what a storage takes, which is an interface. */
const MADE_BY_TESTS = ["testing/index.ts > SimulatedDisk", "testing/index.ts > SimulatedFileSystem"];

// A class with a private member fits only itself: a program that imports one half of the package and requires the other has it twice.
test.each(ENTRIES)("No type of %s holds a class with private members.", (entry) => {
  const declarations = declarationsOf(entry);
  expect(declarations.size).toBeGreaterThan(5);
  const withPrivate = [...declarations].filter(([declaration]) => hasPrivate(declaration)).map(([, path]) => path);
  expect(withPrivate.filter((path) => !MADE_BY_TESTS.includes(path))).toEqual([]);
});

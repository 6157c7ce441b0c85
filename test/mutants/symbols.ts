import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A declaration of the source, with the comments before it. */
export interface Place {
  readonly file: string;
  readonly source: string;
  readonly from: number;
  readonly to: number;
}

interface SourceFile {
  /** Relative to the root of the repository. */
  readonly file: string;
  readonly source: string;
  /** Parsed on first use. */
  places: ReadonlyMap<string, Place> | null;
}

let files: readonly SourceFile[] | null = null;

/**
 * The declarations of a name, in files that have a text: of a function, a constant or a class, or `Class.member`. Functions of several files may
 * share a name.
 */
export function placesOf(symbol: string, text: string): readonly Place[] {
  files ??= sourceFiles();
  return files.flatMap((each) => {
    if (!each.source.includes(text)) return [];
    each.places ??= declarationsOf(each);
    return each.places.get(symbol) ?? [];
  });
}

function sourceFiles(): readonly SourceFile[] {
  const names = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return names.map((name) => ({ file: `src/${name}`, source: readFileSync(join(root, "src", name), "utf8"), places: null }));
}

function declarationsOf({ file, source }: SourceFile): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest);
  const add = (name: string, node: ts.Node) => places.set(name, { file, source, from: node.getFullStart(), to: node.end });
  for (const statement of parsed.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name !== undefined) add(statement.name.text, statement);
    else if (ts.isVariableStatement(statement)) for (const { name } of statement.declarationList.declarations) add(name.getText(parsed), statement);
    else if (ts.isClassDeclaration(statement) && statement.name !== undefined) {
      const className = statement.name.text;
      add(className, statement);
      for (const member of statement.members) add(`${className}.${member.name?.getText(parsed) ?? "constructor"}`, member);
    }
  }
  return places;
}

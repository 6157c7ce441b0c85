import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Sources that several programs have are parsed once. */
const parsed = ts.createDocumentRegistry();
let programCount = 0;

/** The compiler's eyes on a program that a user could write, beside the sources of the package. */
export interface TypeProgram {
  readonly checker: ts.TypeChecker;
  readonly service: ts.LanguageService;
  readonly path: string;
  file(path: string): ts.SourceFile;
  /** What the compiler has against the program, by line, from 0. */
  errors(): ReadonlyMap<number, string>;
}

/** @param text the program; `daybook` and its entries resolve to the sources */
export function typeProgram(text: string): TypeProgram {
  const path = `${root}test/types/user-${(programCount += 1)}.ts`;
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, (name) => readFileSync(name, "utf8"));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host: ts.LanguageServiceHost = {
    useCaseSensitiveFileNames: () => true,
    readDirectory: (name, ...rest) => ts.sys.readDirectory(name, ...rest),
    directoryExists: (name) => ts.sys.directoryExists(name),
    getDirectories: (name) => ts.sys.getDirectories(name),
    getCompilationSettings: () => ({ ...options, noUnusedLocals: false, noUnusedParameters: false }),
    getScriptFileNames: () => [path],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const content = name === path ? text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: (name) => name === path || ts.sys.fileExists(name),
    readFile: (name) => (name === path ? text : ts.sys.readFile(name)),
  };
  const service = ts.createLanguageService(host, parsed);
  const program = service.getProgram();
  if (program === undefined) throw new Error("the compiler made no program");
  const file = (name: string) => {
    const found = program.getSourceFile(name);
    if (found === undefined) throw new Error(`${name} is no file of the program`);
    return found;
  };
  return {
    checker: program.getTypeChecker(),
    service,
    path,
    file,
    errors: () =>
      new Map(
        [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)].map(({ start = 0, messageText }) => [
          file(path).getLineAndCharacterOfPosition(start).line,
          ts.flattenDiagnosticMessageText(messageText, " "),
        ]),
      ),
  };
}

export const sourceOf = (entry: string) => `${root}src/${entry}`;

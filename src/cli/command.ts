import { parseArgs, type ParseArgsConfig } from "node:util";
import { createInterface } from "node:readline/promises";
import type { LockWait } from "../platform/node/index.js";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What the module of a command exports. */
export interface Command {
  readonly help: string;
  /** Runs the command; resolves when it is done. @throws UsageError for exit 2, any other error for exit 1 */
  run(args: readonly string[]): Promise<void>;
}

/** An invalid command line: exit 2. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig["options"]>;

export function texts<const Name extends string>(...names: readonly Name[]): { readonly [N in Name]: { readonly type: "string" } } {
  return Object.fromEntries(names.map((name) => [name, { type: "string" }])) as { [N in Name]: { readonly type: "string" } };
}

export function flags<const Name extends string>(...names: readonly Name[]): { readonly [N in Name]: { readonly type: "boolean" } } {
  return Object.fromEntries(names.map((name) => [name, { type: "boolean" }])) as { [N in Name]: { readonly type: "boolean" } };
}

export function readArguments<O extends Options>(args: readonly string[], options: O, positionals: boolean) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: positionals, strict: true });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    // Keep the first sentence of the parser's message: the rest is advice about `--`.
    throw new UsageError((text.split(/\. (?=To |Did )/)[0] ?? text).replace(/\.$/, ""));
  }
}

export function required(value: string | undefined, option: string): string {
  if (value === undefined || value === "") throw new UsageError(`--${option} is required`);
  return value;
}

export function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new UsageError(`--port: expected a number from 0 to 65535, got ${JSON.stringify(text)}`);
  return port;
}

export function wholeNumberOf(text: string, option: string, min: number, max: number): number {
  const number = Number(text);
  if (/^\d{1,16}$/.test(text) && number >= min && number <= max) return number;
  throw new UsageError(`--${option}: expected a whole number from ${min} to ${max}, got ${JSON.stringify(text)}`);
}

/** The items of a list with commas between. */
export function itemsOf(text: string): string[] {
  return text.split(",").map((item) => item.trim());
}

export function currencyOf(text: string | undefined): string | undefined {
  if (text === undefined || /^[A-Z]{3}$/.test(text)) return text;
  throw new UsageError(`--currency: expected three capital letters like USD, got ${JSON.stringify(text)}`);
}

export function oneOf<T extends string>(text: string, option: string, allowed: readonly T[]): T {
  const found = allowed.find((word) => word === text);
  if (found === undefined) throw new UsageError(`--${option}: expected ${allowed.join(", ")}, got ${JSON.stringify(text)}`);
  return found;
}

export async function confirm(question: string, isConfirmed: boolean | undefined): Promise<void> {
  if (isConfirmed === true) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UsageError("--yes is required: there is no terminal to confirm on");
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await prompt.question(`${question} [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new Error("nothing was changed");
  } finally {
    prompt.close();
  }
}

export function printLockWait({ message }: LockWait): void {
  process.stderr.write(`daybook: ${message}\n`);
}

export function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, "package.json"))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error("the program is not inside its package: no package.json above it");
    directory = parent;
  }
  return directory;
}

export function publicAddress(path: string, root = packageRoot()): string {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly repository: { readonly url: string } };
  return `${repository.url.replace(/^git\+/, "").replace(/\.git$/, "")}/blob/main/${path}`;
}

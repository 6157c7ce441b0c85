import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject, onTestFinished } from "vitest";
import { CLI, PROGRAMS, bundleOf } from "../program-names.js";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process of ours, with what it said so far. */
export class Running {
  stdout = "";
  stderr = "";
  readonly finished: Promise<Finished>;
  readonly #waiting = new Set<() => void>();

  constructor(readonly child: ChildProcess) {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      for (const wake of this.#waiting) wake();
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.finished = new Promise((resolve) => {
      child.on("close", (code, signal) => {
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
        for (const wake of this.#waiting) wake();
      });
    });
  }

  /** Resolves with the match once stdout has it; rejects when the process ends without. */
  async said(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.stdout);
      if (match !== null) return match;
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`the process ended (${this.child.exitCode}) without ${pattern}: ${this.stdout}${this.stderr}`);
      }
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }
}

export interface StartOptions {
  /** All there is to read; null: `child.stdin` stays open. */
  readonly input?: string | Uint8Array | null;
  readonly env?: Readonly<Record<string, string>>;
  /** What runs node, with its arguments: `apart()`, for one. */
  readonly within?: readonly string[];
  /** For node itself. */
  readonly flags?: readonly string[];
}

/** The bundle of a program of the repository. @param path one of `PROGRAMS` */
export function programFile(path: string): string {
  if (!PROGRAMS.includes(path)) throw new Error(`${path} is no program that is bundled before the tests`);
  return join(inject("programs"), `${bundleOf(path)}.mjs`);
}

/** Starts a program of the repository as a process of its own; it is killed when the test ends. @param path one of `PROGRAMS`; or absolute */
export function startProgram(path: string, args: readonly string[], options: StartOptions = {}): Running {
  const { DAYBOOK_TOKEN: _, ...environment } = process.env;
  const [command = "", ...rest] = [...(options.within ?? []), process.execPath, ...(options.flags ?? []), isAbsolute(path) ? path : programFile(path), ...args];
  const child = spawn(command, rest, {
    cwd: ROOT,
    env: { ...environment, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  // A program that does not read its input may be gone before it is written.
  child.stdin.on("error", () => undefined);
  if (options.input !== null) child.stdin.end(options.input ?? "");
  return new Running(child);
}

/** Runs `daybook ARGS` to its end. */
export function daybook(args: readonly string[], options: StartOptions = {}): Promise<Finished> {
  return startProgram(CLI, args, options).finished;
}

/** An empty directory that is removed when the test ends. */
export async function emptyDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "daybook-test-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

import { Worker } from "node:worker_threads";
import type { Turns } from "../base/turn.js";
import { copyRows } from "../store/copied-rows.js";
import type { CopiedRows } from "../store/copied-rows.js";
import type { MadeSegment, Sealer, SourceRows } from "../store/make-segment.js";
import { threadArguments } from "./thread-arguments.js";

/** From the thread that asks. Files are known by a number. */
export type ToSeals =
  | { readonly kind: "rows"; readonly id: number; readonly rows: CopiedRows }
  | { readonly kind: "make"; readonly id: number; readonly codecName: string };

/** null: it failed. */
export interface FromSeals {
  readonly id: number;
  readonly made: MadeSegment | null;
}

/** A thread that makes segment files. */
export interface SealThread extends Sealer {
  /** Ends the thread; files that are asked of it from now on, or are being made, are made by who asked. */
  close(): Promise<void>;
}

const ENTRY = new URL("./seal-program.js", import.meta.url);

/**
 * A thread that makes the segment files of all stores that are opened with it as `sealer`: it begins with the first one, and keeps no process
 * from ending. Cost: a copy of the rows, and the memory of merging them; some 15 MiB for the thread. Where it fails, the calling threads make
 * their files themselves, and a warning of the process says why.
 */
export function sealThread(): SealThread {
  return sealThreadOf(ENTRY);
}

/** @param entry the program of the thread */
export function sealThreadOf(entry: URL): SealThread {
  return new OwnThread(entry);
}

class OwnThread implements SealThread {
  #worker: Worker | null = null;
  #hasEnded = false;
  #fileCount = 0;
  /** Who waits for each file. */
  readonly #waiting = new Map<number, (made: MadeSegment | null) => void>();

  constructor(readonly entry: URL) {}

  async make(sources: readonly SourceRows[], codecName: string, turns: Turns): Promise<MadeSegment | null> {
    if (this.#hasEnded) return null;
    const worker = (this.#worker ??= this.#begin());
    const id = (this.#fileCount += 1);
    const made = new Promise<MadeSegment | null>((resolve) => this.#waiting.set(id, resolve));
    worker.ref();
    for (const rows of sources) {
      const { copy, memory } = copyRows(rows);
      worker.postMessage({ kind: "rows", id, rows: copy } satisfies ToSeals, memory);
      await turns.took(rows.rowCount * copy.columns.size);
    }
    worker.postMessage({ kind: "make", id, codecName } satisfies ToSeals);
    return await made;
  }

  async close(): Promise<void> {
    this.#end();
    await this.#worker?.terminate();
  }

  #begin(): Worker {
    const worker = new Worker(this.entry, { execArgv: threadArguments() });
    worker.on("message", ({ id, made }: FromSeals) => {
      this.#waiting.get(id)?.(made);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) worker.unref();
    });
    worker.on("error", (error) => this.#fail(error.message));
    worker.on("exit", (code) => this.#fail(`it ended with code ${code}`));
    return worker;
  }

  #fail(reason: string): void {
    if (this.#hasEnded) return;
    process.emitWarning(`the thread of seals failed, segments are made on the calling thread from now on: ${reason}`, "DaybookWarning");
    this.#end();
  }

  #end(): void {
    this.#hasEnded = true;
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }
}

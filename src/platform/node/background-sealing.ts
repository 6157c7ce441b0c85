import type { Worker } from "node:worker_threads";
import { rejectUnknownOptions, type KnownOptions } from "../../core/base/options.js";
import type { Yielder } from "../../core/base/yield.js";
import { nameOf, type CodecName } from "../../store/storage/codec.js";
import { copyRows, type CopiedRows, type SummaryRule, type MadeSegment, type SealWorker, type SourceRows } from "../../store/files/make-segment.js";
import type { Codec } from "../../store/storage/storage.js";
import { startWorker, startFailure, programOf, warn, type WorkerProgramOptions } from "./worker-messages.js";

/** Messages from the calling thread. Files are identified by number. */
export type ToSealWorker =
  | { readonly kind: "rows"; readonly id: number; readonly rows: CopiedRows }
  | {
      readonly kind: "make";
      readonly id: number;
      readonly codecName: CodecName;
      readonly summaries: readonly SummaryRule[];
      readonly sourceCount: number;
    };

export type FromSealWorker =
  | { readonly id: number; readonly made: MadeSegment }
  | { readonly id: number; readonly made: null; readonly reason: string };

/** A thread that makes segment files. */
export interface BackgroundSealing extends SealWorker {
  /** Ends the thread; later files, and those in progress, are made by the calling threads. */
  close(): Promise<void>;
}

/** Lazy, because some bundles have no such URL. Written literally, so that bundlers include the file. */
const ownProgram = () => new URL("./seal-worker.mjs", import.meta.url);

const KNOWN: KnownOptions<WorkerProgramOptions> = { program: true };

/**
 * A thread that makes the segment files of all stores opened with it as `sealWorker`, one after the other. It starts with the first file and does not
 * keep the process alive. If it cannot be started, or fails at a file, the calling threads make their files from then on, and one process warning
 * gives the reason. Cost: a copy of the rows, the memory of merging them, and some 15 MiB.
 * @throws invalid_parameter (a program that no thread can be started from), unknown_parameter
 */
export function backgroundSealing(options: WorkerProgramOptions = {}): BackgroundSealing {
  rejectUnknownOptions(options, KNOWN);
  return new WorkerSealing(programOf(options.program, ownProgram));
}

interface SealJob {
  readonly sources: readonly SourceRows[];
  readonly summaries: readonly SummaryRule[];
  readonly codecName: CodecName;
}

class WorkerSealing implements BackgroundSealing {
  #worker: Worker | null = null;
  #hasEnded = false;
  #hasMade = false;
  #fileCount = 0;
  readonly #waiting = new Map<number, (made: MadeSegment | null) => void>();

  constructor(readonly program: () => URL) {}

  async make(sources: readonly SourceRows[], summaries: readonly SummaryRule[], codec: Codec, yielder: Yielder): Promise<MadeSegment | null> {
    const codecName = nameOf(codec);
    if (this.#hasEnded || codecName === null) return null;
    try {
      return await this.#send((this.#worker ??= this.#start()), { sources, summaries, codecName }, yielder);
    } catch (error) {
      // The thread may hold part of the rows, so end it and release all callers.
      this.#fail(error);
      return null;
    }
  }

  async close(): Promise<void> {
    this.#hasEnded = true;
    await this.#end();
  }

  async #send(worker: Worker, { sources, summaries, codecName }: SealJob, yielder: Yielder): Promise<MadeSegment | null> {
    const id = (this.#fileCount += 1);
    const made = new Promise<MadeSegment | null>((resolve) => this.#waiting.set(id, resolve));
    worker.ref();
    for (const source of sources) {
      const rows = copyRows(source);
      worker.postMessage({ kind: "rows", id, rows } satisfies ToSealWorker, [rows.memory]);
      await yielder.yieldAfter(rows.rowCount * rows.columns.size);
      if (this.#hasEnded) return null;
    }
    worker.postMessage({ kind: "make", id, codecName, summaries, sourceCount: sources.length } satisfies ToSealWorker);
    return await made;
  }

  #start(): Worker {
    const worker = startWorker(this.program());
    worker.on("message", (message: FromSealWorker) => {
      if (message.made === null) return this.#fail(message.reason);
      this.#hasMade = true;
      this.#waiting.get(message.id)?.(message.made);
      this.#waiting.delete(message.id);
      if (this.#waiting.size === 0) worker.unref();
    });
    worker.on("messageerror", (error) => this.#fail(error));
    worker.on("error", (error) => this.#fail(error));
    worker.on("exit", (code) => this.#fail(`it ended with code ${code}`));
    return worker;
  }

  #fail(reason: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const text = this.#hasMade ? (reason instanceof Error ? reason.message : String(reason)) : startFailure(this.program, reason);
    warn(`the seal worker failed, so segments are now made on the calling thread: ${text}`);
    void this.#end();
  }

  async #end(): Promise<void> {
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
    await this.#worker?.terminate();
  }
}

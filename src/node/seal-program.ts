import { parentPort } from "node:worker_threads";
import { Turns } from "../base/turn.js";
import { memoryCodec } from "../store/codec.js";
import { sourceOf } from "../store/copied-rows.js";
import { makeSegment } from "../store/make-segment.js";
import type { SourceRows } from "../store/make-segment.js";
import type { Codec } from "../store/storage.js";
import { nativeCodecOfThread } from "./native-codec.js";
import type { CodecName, FromSealThread, ToSealThread } from "./seal-thread.js";

type MakeMessage = Extract<ToSealThread, { readonly kind: "make" }>;

/** Nobody else waits for this thread. */
const UNBROKEN = new Turns(Infinity);

const codecs: Readonly<Record<CodecName, Codec>> = { zlib: nativeCodecOfThread, runs: memoryCodec };
const port = parentPort;
if (port === null) throw new Error("expected to be started as a thread");
/** What came of the sources of each file so far. */
const sourcesById = new Map<number, SourceRows[]>();

function sourcesOf(id: number): SourceRows[] {
  const known = sourcesById.get(id) ?? [];
  sourcesById.set(id, known);
  return known;
}

async function make(sources: readonly SourceRows[], { id, codecName, sourceCount }: MakeMessage): Promise<FromSealThread> {
  if (sources.length !== sourceCount) return { id, made: null, reason: `expected ${sourceCount} parts of rows, got ${sources.length}` };
  try {
    return { id, made: await makeSegment(sources, codecs[codecName], UNBROKEN) };
  } catch (error) {
    return { id, made: null, reason: error instanceof Error ? error.message : String(error) };
  }
}

port.on("message", (message: ToSealThread) => {
  const { id } = message;
  const sources = sourcesOf(id);
  if (message.kind === "rows") return void sources.push(sourceOf(message.rows));
  sourcesById.delete(id);
  void make(sources, message).then((answer) => port.postMessage(answer, answer.made === null ? [] : [answer.made.bytes.buffer as ArrayBuffer]));
});

import { parentPort } from "node:worker_threads";
import { Turns } from "../base/turn.js";
import { memoryCodec } from "../store/codec.js";
import { sourceOf } from "../store/copied-rows.js";
import { makeSegment } from "../store/make-segment.js";
import type { SourceRows } from "../store/make-segment.js";
import type { Codec } from "../store/storage.js";
import { nativeCodecOfThread } from "./native-codec.js";
import type { FromSeals, ToSeals } from "./seal-thread.js";

/** Nobody else waits for this thread. */
const UNBROKEN = new Turns(Infinity);

const codecs = new Map<string, Codec>([["zlib", nativeCodecOfThread], ["runs", memoryCodec]]);
const port = parentPort;
if (port === null) throw new Error("expected to be started as a thread");
/** What came of the sources of each file so far. */
const sourcesById = new Map<number, SourceRows[]>();

async function make(id: number, codecName: string): Promise<void> {
  const sources = sourcesById.get(id) ?? [];
  sourcesById.delete(id);
  const codec = codecs.get(codecName);
  const made = codec === undefined ? null : await makeSegment(sources, codec, UNBROKEN).catch(() => null);
  port?.postMessage({ id, made } satisfies FromSeals, made === null ? [] : [made.bytes.buffer as ArrayBuffer]);
}

port.on("message", (message: ToSeals) => {
  const { id } = message;
  if (message.kind === "make") void make(id, message.codecName);
  else sourcesById.set(id, [...(sourcesById.get(id) ?? []), sourceOf(message.rows)]);
});

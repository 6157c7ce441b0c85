import { parentPort } from "node:worker_threads";
import { Turns } from "../base/turn.js";
import { memoryCodec } from "../store/codec.js";
import { sourceOf } from "../store/copied-rows.js";
import { makeSegment } from "../store/make-segment.js";
import type { MadeSegment, SourceRows } from "../store/make-segment.js";
import type { Codec } from "../store/storage.js";
import { nativeCodecOfThread } from "./native-codec.js";
import type { CodecName, FromSeals, ToSeals } from "./seal-thread.js";

type Ask = Extract<ToSeals, { readonly kind: "make" }>;

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

async function make(sources: readonly SourceRows[], { codecName, sourceCount }: Ask): Promise<MadeSegment | null> {
  if (sources.length !== sourceCount) return null;
  // The caller makes it anew, and meets what was wrong.
  return await makeSegment(sources, codecs[codecName], UNBROKEN).catch(() => null);
}

port.on("message", (message: ToSeals) => {
  const { id } = message;
  const sources = sourcesOf(id);
  if (message.kind === "rows") return void sources.push(sourceOf(message.rows));
  sourcesById.delete(id);
  void make(sources, message).then((made) => {
    port.postMessage({ id, made } satisfies FromSeals, made === null ? [] : [made.bytes.buffer as ArrayBuffer]);
  });
});

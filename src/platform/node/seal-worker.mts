import { parentPort, workerData } from "node:worker_threads";
import { Yielder } from "../../core/base/yield.js";
import { type CodecName, deflateRuns } from "../../store/storage/codec.js";
import { sourceOf, makeSegment, type SegmentCodec, type SourceRows } from "../../store/files/make-segment.js";
import { nativeCodecOfThread } from "./native-codec.js";
import type { FromSealWorker, ToSealWorker } from "./background-sealing.js";

type MakeMessage = Extract<ToSealWorker, { readonly kind: "make" }>;

/** Never yields, because this thread has no other work. */
const UNBROKEN = new Yielder(Infinity);

const codecs: Readonly<Record<CodecName, SegmentCodec>> = { zlib: nativeCodecOfThread, runs: { deflate: deflateRuns } };
const port = parentPort;
// A thread with start data was meant to be a socket worker; this program would never answer it.
if (port === null || (workerData ?? null) !== null) throw new Error("expected to be started by backgroundSealing");
const sourcesById = new Map<number, SourceRows[]>();

function sourcesOf(id: number): SourceRows[] {
  const sources = sourcesById.get(id) ?? [];
  sourcesById.set(id, sources);
  return sources;
}

async function make(sources: readonly SourceRows[], { id, codecName, summaries, sourceCount }: MakeMessage): Promise<FromSealWorker> {
  if (sources.length !== sourceCount) return { id, made: null, reason: `expected ${sourceCount} parts of rows, got ${sources.length}` };
  try {
    return { id, made: await makeSegment(sources, summaries, codecs[codecName], UNBROKEN) };
  } catch (error) {
    return { id, made: null, reason: error instanceof Error ? error.message : String(error) };
  }
}

port.on("message", (message: ToSealWorker) => {
  const { id } = message;
  const sources = sourcesOf(id);
  if (message.kind === "rows") return void sources.push(sourceOf(message.rows));
  sourcesById.delete(id);
  void make(sources, message).then((answer) => port.postMessage(answer, answer.made === null ? [] : [answer.made.bytes.buffer as ArrayBuffer]));
});

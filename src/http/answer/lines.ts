import { DaybookError } from "../../core/base/errors.js";
import { joined } from "../wire/exchange.js";

const encoder = new TextEncoder();
/** Lines are encoded in batches: a chunk per line would cost more than its text. */
const LOT_CHARS = 64 * 1024;

/**
 * Encodes all lines as UTF-8 before the answer starts, so that a failure can still be answered as an error.
 * @throws aborted, and what the lines fail with
 */
export async function bytesOfLines(lines: AsyncIterable<string>, signal: Pick<AbortSignal, "aborted">): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let byteLength = 0;
  let lot = "";
  const pack = () => {
    const chunk = encoder.encode(lot);
    chunks.push(chunk);
    byteLength += chunk.length;
    lot = "";
  };
  for await (const line of lines) {
    if (signal.aborted) throw new DaybookError("aborted", "the caller disconnected");
    lot += line;
    if (lot.length >= LOT_CHARS) pack();
  }
  pack();
  return joined(chunks, byteLength);
}

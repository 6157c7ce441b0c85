import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";

/**
 * Items as lines of JSON, up to the size of one answer, without leading items of earlier pages. @throws aborted
 * @param isBefore true for items of earlier pages, which occur if the Daybook did not start after them
 */
export async function* pageOfLines<T>(items: AsyncIterable<T>, isBefore: (item: T) => boolean, signal: Pick<AbortSignal, "aborted">): AsyncGenerator<string> {
  let [count, charCount] = [0, 0];
  for await (const item of items) {
    if (signal.aborted) throw new DaybookError("aborted", "the caller disconnected");
    if (count === 0 && isBefore(item)) continue;
    const line = `${JSON.stringify(item)}\n`;
    yield line;
    count += 1;
    charCount += line.length;
    if (count >= SERVER_LIMITS.exportPageCount || charCount >= SERVER_LIMITS.exportPageChars) return;
  }
}

import { LIMITS } from "../base/limits.js";

/** Items as lines of JSON, from the first that is wanted on, until they are enough for one answer. */
export async function* pageOfLines<T>(items: AsyncIterable<T>, isBefore: (item: T) => boolean): AsyncGenerator<string> {
  let [count, charCount] = [0, 0];
  for await (const item of items) {
    if (count === 0 && isBefore(item)) continue;
    const line = `${JSON.stringify(item)}\n`;
    yield line;
    count += 1;
    charCount += line.length;
    if (count >= LIMITS.exportPageCount || charCount >= LIMITS.exportPageChars) return;
  }
}

import { yieldToEventLoop } from "../../core/base/turn.js";

/** Reporting the fault of one item takes up to 50 µs. */
const ITEMS_PER_TURN = 128;

/** Processes items one after the other, and yields between chunks. */
export async function forEachYielding<Item>(items: readonly Item[], act: (item: Item, index: number) => void | Promise<void>): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % ITEMS_PER_TURN === 0) await yieldToEventLoop();
    const acting = act(item, index);
    if (acting !== undefined) await acting;
  }
}

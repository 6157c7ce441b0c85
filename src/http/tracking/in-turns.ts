import { nextTurn } from "../../base/turn.js";

/** What is wrong with an item takes up to 50 µs to say. */
const ITEMS_PER_TURN = 128;

/** Does something with each item, one after the other; others have turns meanwhile. */
export async function eachInTurns<Item>(items: readonly Item[], act: (item: Item, index: number) => void | Promise<void>): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % ITEMS_PER_TURN === 0) await nextTurn();
    const acting = act(item, index);
    if (acting !== undefined) await acting;
  }
}

import { openDaybook } from "daybook";
import { fileStorage } from "daybook/node";
import { clock } from "../clock.js";
import { insightQueries } from "../insights/insight-queries.js";
import { windowOf } from "../measure.js";

const BUDGET_BYTES = 300_000_000;
const MB = 1_000_000;

/** What is held in memory under a small budget, most of all after some insight: dictionaries and records lie outside of the budget from the start. */
export async function budgetFigures(store: string): Promise<Record<string, number>> {
  const daybook = await openDaybook({ storage: fileStorage(store), clock, readOnly: true, memoryBudgetBytes: BUDGET_BYTES });
  const heldBytes = async () => (await daybook.stats()).memoryByteLength;
  const outsideBytes = await heldBytes();
  let mostBytes = 0;
  for (const query of insightQueries) {
    await query.run(daybook, windowOf(0));
    mostBytes = Math.max(mostBytes, (await heldBytes()) - outsideBytes);
  }
  const { storedByteLength, eventCount } = await daybook.stats();
  await daybook.close();
  return {
    "budget, MB": BUDGET_BYTES / MB,
    "most held within the budget after an insight, MB": mostBytes / MB,
    "held outside of it, MB": outsideBytes / MB,
    "stored, bytes an event": storedByteLength / eventCount,
  };
}

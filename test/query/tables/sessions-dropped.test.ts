import { fixedClock, memoryStorage, openDaybook } from "daybook";
import { expect, test, vi } from "vitest";
import { PendingLoads } from "../../../src/storage/derived/pending-loads.js";
import { MemoryBudget } from "../../../src/storage/segment/memory-budget.js";
import { SessionTable } from "../../../src/query/tables/sessions/session-table.js";

const NOW = Date.UTC(2026, 0, 1);

test("The budget may drop what there is of sessions at each moment while others are made.", async () => {
  const at = vi.spyOn(SessionTable.prototype, "at");
  await using daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW) });
  await daybook.ingest(Array.from({ length: 300 }, (_, event) => ({ name: "pageview", project: "p", userId: `u${event % 5}`, createdAt: NOW - event * 25_000 })));
  await daybook.sessionsOverview({ project: "p" });
  const [{ source, rule }] = at.mock.contexts as [SessionTable];
  const [[moment]] = at.mock.calls as [Parameters<SessionTable["at"]>];
  let [dropCount, isMadeBefore] = [0, false];
  for (; !isMadeBefore; dropCount += 1) {
    const table = new SessionTable(new MemoryBudget(1e9), { readerCount: 0 }, source, rule);
    const pending = new PendingLoads();
    table.at(moment, { fromMs: -Infinity, toMs: Infinity }, pending);
    const making = pending.load().then(() => (isMadeBefore = true));
    for (let turn = 0; turn < dropCount; turn += 1) await Promise.resolve();
    if (isMadeBefore) break;
    table.drop();
    await making;
    isMadeBefore = false;
  }
  expect(dropCount).toBeGreaterThan(10);
});

import { memoryStorage, type AggregateInput, type Daybook } from "daybook";
import fc from "fast-check";
import { expect, test } from "vitest";
import { arrive } from "../support/random/arrive.js";
import { useLimits } from "../limits.js";
import { holds, openAt } from "./law.js";
import { event, idOf, record } from "./person-arbitraries.js";

// Heads are full after a few rows, so that what is kept of them, and what is not, is asked for too.
useLimits({ headPartRowCount: 6 });

const fields = ["url", "path", "touch_source", "touch_medium", "identity_id", "user_id", "company_id", "value", "createdAt"] as const;
const filters = [[], [{ filters: [{ fieldName: "name", operator: "!=", value: "none" }] }], [{ filters: [{ fieldName: "touch_medium", operator: "is_not_set" }] }]];

async function allAnswers(daybook: Daybook): Promise<string> {
  const inputs = fields.flatMap((field) =>
    filters.flatMap((filterGroups) => (["events", "unique_users"] as const).map((measure): AggregateInput => ({ field, measure, filterGroups }))));
  const lines: string[] = [];
  for (const input of inputs) lines.push(JSON.stringify([input, await daybook.aggregate(input)]));
  return lines.join("\n");
}

const histories = fc.uniqueArray(fc.oneof({ weight: 3, arbitrary: event }, { weight: 1, arbitrary: record }), { selector: (item) => idOf(item), minLength: 15, maxLength: 30 });

test("What is kept of aggregates never shows in one of another field, measure or filter, nor after more came.", () =>
  holds([histories, fc.array(fc.boolean(), { minLength: 3, maxLength: 3 })], async (history, seals) => {
    await using daybook = await openAt(memoryStorage());
    const size = Math.ceil(history.length / seals.length);
    for (const [at, sealed] of seals.entries()) {
      await arrive(daybook, history.slice(at * size, (at + 1) * size));
      if (sealed) await daybook.seal();
      const first = await allAnswers(daybook);
      expect(await allAnswers(daybook)).toBe(first);
      await using fresh = await openAt(memoryStorage());
      await arrive(fresh, history.slice(0, (at + 1) * size));
      expect(first).toBe(await allAnswers(fresh));
    }
  }, 12));

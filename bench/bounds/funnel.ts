/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and people are bounded by their lists */
import { dayOf, dayStartMs, MS_PER_DAY } from "../../src/core/base/time.js";
import { denseCodes } from "../../src/storage/column/column.js";
import { TIME_COLUMN } from "../../src/core/schema/fields.js";
import type { Range } from "../../src/query/plan/plan.js";
import { type Rows, whilePinned } from "../../src/storage/segment/rows.js";
import { rowsOfDays } from "../../src/query/tables/sessions/stretch-cache.js";
import { ACTOR_COLUMNS, actorOf } from "../../src/storage/segment/summaries.js";
import { median } from "../table.js";
import type { Bound } from "./bound.js";
import type { StoredEvents } from "./stored-events.js";

const STEPS = ["pageview", "signup", "purchase"];
const WINDOW_MS = 14 * MS_PER_DAY;

/** Numbers people as they come, so that those that come often lie side by side. */
class People {
  readonly #numbers = new Map<number, number>();

  get count(): number {
    return this.#numbers.size;
  }

  numberOf(identity: number): number {
    let number = this.#numbers.get(identity);
    if (number === undefined) this.#numbers.set(identity, (number = this.#numbers.size));
    return number;
  }
}

/** The events of steps of some rows, in the order of their times. */
interface StepEvents {
  readonly dayMs: number;
  readonly people: Uint32Array;
  readonly times: Uint32Array;
  readonly steps: Uint8Array;
}

async function stepEventsOf(rows: Rows, { dictionaries, identities }: StoredEvents, people: People): Promise<StepEvents> {
  return await whilePinned([rows], async () => {
    await rows.load([TIME_COLUMN, ...ACTOR_COLUMNS, "name"]);
    const codes = STEPS.map((name) => dictionaries.named("name").codeOf(name));
    const [names, users, anonymous] = ["name", "userId", "anonymousId"].map((column) => denseCodes(rows.column(column)));
    const times = rows.times();
    const found: { person: number; ms: number; step: number }[] = [];
    for (let row = 0; row < rows.rowCount; row += 1) {
      const step = codes.indexOf(names![row]!);
      const actor = actorOf(users![row]!, anonymous![row]!);
      if (step >= 0 && actor !== 0) found.push({ person: people.numberOf(identities.identityOf(actor)), ms: times[row]!, step });
    }
    return {
      dayMs: dayStartMs(rows.day),
      people: Uint32Array.from(found, ({ person }) => person),
      times: Uint32Array.from(found, ({ ms }) => ms),
      steps: Uint8Array.from(found, ({ step }) => step),
    };
  });
}

/** Numbers that are known of somebody: the latest entry, the latest one that got to the second step, and how far anybody got. */
const NUMBERS = 4;

/** How many got to each step: of each chain only its depth, and no time between two steps. */
function depthsOf(lists: readonly StepEvents[], { fromMs, toMs }: Range, personCount: number): number[] {
  const known = new Uint32Array(personCount * NUMBERS);
  for (const { dayMs, people, times, steps } of lists) {
    const laterMs = dayMs - fromMs + 1;
    const mayEnter = dayMs >= fromMs && dayMs < toMs;
    for (let at = 0; at < times.length; at += 1) {
      const own = people[at]! * NUMBERS;
      const ms = laterMs + times[at]!;
      const step = steps[at]!;
      if (step === 0) {
        if (!mayEnter) continue;
        known[own] = ms;
        known[own + 2]! |= 1;
      } else if (step === 1) {
        const entry = known[own]!;
        if (entry === 0 || ms - entry > WINDOW_MS) continue;
        known[own + 1] = entry;
        known[own + 2]! |= 2;
      } else {
        const entry = known[own + 1]!;
        if (entry !== 0 && ms - entry <= WINDOW_MS) known[own + 2]! |= 4;
      }
    }
  }
  const counts = [0, 0, 0];
  for (let own = 2; own < known.length; own += NUMBERS) {
    const depth = known[own]!;
    counts[0]! += depth & 1;
    counts[1]! += (depth >> 1) & 1;
    counts[2]! += (depth >> 2) & 1;
  }
  return counts;
}

/** What a funnel of three steps takes once its events lie in memory: the middle of some rounds. */
export async function boundOfFunnel(stored: StoredEvents, rangeOf: (round: number) => Range, roundCount: number): Promise<Bound> {
  const people = new People();
  const byRows = new Map<Rows, StepEvents>();
  for (const rows of stored.rows) byRows.set(rows, await stepEventsOf(rows, stored, people));
  const tookMs: number[] = [];
  let counts: number[] = [];
  for (let round = 0; round < roundCount; round += 1) {
    const range = rangeOf(round);
    const lists = rowsOfDays(stored.rows, { firstDay: dayOf(range.fromMs), lastDay: dayOf(range.toMs + WINDOW_MS - 1) }).map((rows) => byRows.get(rows)!);
    const startedMs = performance.now();
    counts = depthsOf(lists, range, people.count);
    tookMs.push(performance.now() - startedMs);
  }
  return { description: `${counts.join(", ")} of ${people.count} people get to the steps, in lists that lie in memory`, leastMs: median(tookMs) };
}

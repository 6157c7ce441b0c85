import { fixedClock, memoryStorage, openDaybook, type Daybook, type EventInput, type ExportedEvent } from "daybook";
import { seededRandom, type Random } from "daybook/testing";
import { expect, test } from "vitest";
import { sha256Hex } from "../../src/core/base/hash.js";
import { baseSeed, caseCount } from "../oracle/settings.js";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 2, 10, 12);
const PROJECTS = ["default", "shop", "site"];
const USERS = ["ann", "bob", "cyd", "dan"];
const DEVICES = ["d1", "d2", "d3"];

/** Events of the last days, many late, some of them sent before. */
function someEvents(random: Random): EventInput[] {
  return Array.from({ length: random.between(1, 12) }, () => ({
    id: `event ${random.between(1, 400)}`,
    name: random.pick(["view", "buy"]),
    project: random.pick(PROJECTS),
    userId: random.pick([null, ...USERS]),
    anonymousId: random.pick([null, ...DEVICES]),
    createdAt: NOW - random.between(0, 6 * DAY_MS),
    metadata: random.pick([null, { plan: "pro" }, { seats: random.between(1, 3) }]),
  }));
}

/** A copy that knows nothing but what exports yield. */
class Copy {
  #events: ExportedEvent[] = [];

  get sequence(): number {
    return Math.max(0, ...this.#events.map(({ sequence }) => sequence ?? NaN));
  }

  /** @param meanwhile what happens behind the first event @param between what happens between the two exports */
  async update(daybook: Daybook, meanwhile: () => Promise<void>, between: () => Promise<void>): Promise<void> {
    const afterSequence = this.sequence;
    const added: ExportedEvent[] = [];
    for await (const event of daybook.exportEvents({ afterSequence })) {
      added.push(event);
      if (added.length === 1) await meanwhile();
    }
    if (added.length === 0) await meanwhile();
    const all = [...this.#events, ...added];
    expect(new Set(all.map(({ sequence }) => sequence)).size).toBe(all.length);
    this.#events = all;
    await between();
    for await (const { action, fromSequence, toSequence, projectSha256, before, idPrefix } of daybook.exportDeletions({ afterSequence })) {
      const isConcerned = ({ id, sequence = NaN, project, createdAt }: ExportedEvent) =>
        sequence >= fromSequence && sequence <= toSequence && (projectSha256 === null || projectSha256 === sha256Hex(project ?? "default")) && (before === null || createdAt < before) && id.startsWith(idPrefix ?? "");
      if (action === "delete") this.#events = this.#events.filter((event) => !isConcerned(event));
      else this.#events = this.#events.map((event) => (isConcerned(event) ? withoutDevice(event) : event));
    }
  }

  events(): ExportedEvent[] {
    return inOrder(this.#events);
  }
}

function withoutDevice({ anonymousId: _, ...event }: ExportedEvent): ExportedEvent {
  return event;
}

const keyOf = ({ createdAt, id, project }: ExportedEvent) => `${createdAt} ${id} ${project ?? ""}`;

function inOrder(events: readonly ExportedEvent[]): ExportedEvent[] {
  return [...events].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

async function stored(daybook: Daybook): Promise<ExportedEvent[]> {
  const events: ExportedEvent[] = [];
  for await (const event of daybook.exportEvents({ afterSequence: 0 })) events.push(event);
  return inOrder(events);
}

/** What changed: nothing, events, or what was deleted. */
async function act(daybook: Daybook, random: Random): Promise<void> {
  const before = new Date(NOW - random.between(0, 6) * DAY_MS - random.pick([0, 3_600_000]));
  const project = random.pick(PROJECTS);
  switch (random.between(0, 9)) {
    case 0:
      return await daybook.seal();
    case 1:
      return void (await daybook.deleteEvents({ before, project: random.pick([null, ...daybook.projects()]) }));
    case 2:
      return void (daybook.projects().includes(project) && (await daybook.deleteProject(project)));
    case 3:
      return void (await daybook.erase({ userId: random.pick([...USERS, ...DEVICES]) }).catch(() => undefined));
    case 4:
      await daybook.timeToLive.set(random.pick([null, project]), { days: random.between(2, 6) });
      await daybook.timeToLive.sweep();
      for (const rule of await daybook.timeToLive.list()) await daybook.timeToLive.off(rule.project);
      return;
    default:
      await daybook.ingest(someEvents(random));
  }
}

const nothing = async () => undefined;

async function checkCopy(seed: number): Promise<number> {
  const random = seededRandom(seed);
  const storage = memoryStorage();
  const open = () => openDaybook({ storage, clock: fixedClock(NOW), memoryBudgetBytes: random.pick([1, 2 ** 30]) });
  let daybook = await open();
  const copy = new Copy();
  let checkedCount = 0;
  for (let step = 0; step < 40; step += 1) {
    await act(daybook, random);
    if (random.chance(0.1)) {
      await daybook.close();
      daybook = await open();
    }
    if (!random.chance(0.4)) continue;
    const isDisturbed = random.chance(0.3);
    if (isDisturbed) await copy.update(daybook, () => daybook.ingest(someEvents(random)).then(nothing), () => act(daybook, random));
    // What came meanwhile is in the next increment.
    await copy.update(daybook, nothing, nothing);
    expect(copy.events(), `seed ${seed}, step ${step}`).toEqual(await stored(daybook));
    checkedCount += 1;
  }
  await daybook.close();
  return checkedCount;
}

test("A copy that is made of increments and deletions, at any moments, is a full export, however late events come.", async () => {
  let checkedCount = 0;
  for (let index = 0; index < caseCount(12, 400); index += 1) checkedCount += await checkCopy(baseSeed + index);
  expect(checkedCount).toBeGreaterThan(50);
}, 240_000);

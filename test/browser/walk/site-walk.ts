import { expect } from "vitest";
import { Books, type Fact } from "./books.js";
import { countsOf, referrersOf, sessionsOf, webOf } from "./figures.js";
import { people, type Person } from "./people.js";
import { Random } from "./random.js";
import type { Rest } from "./steps.js";
import { walkOn } from "./walk-on.js";
import { Walker, type Memory } from "./walker.js";
import { openWorld, type World } from "./world.js";

/** As many walk at the same time, on a day of their own. */
const AT_ONCE = 8;
const FIRST_DAY_MS = Date.parse("2026-03-02T01:00:00.000Z");
const DAY_MS = 86_400_000;
const HALF_HOUR_MS = 1_800_000;
const ROUNDS = 9;
/** Another seed is another walk. */
export const SEED = Number(process.env["DAYBOOK_SEED"] ?? 20_260_302);
const PROJECT = "/v1/projects/site";

/** Pauses: mostly short; exactly as long as a visit bears, and one millisecond longer; some too long for what could not be sent. */
const pauseMs = (random: Random): number =>
  random.weighed([[random.between(5_000, 600_000), 70], [HALF_HOUR_MS, 8], [HALF_HOUR_MS + 1, 8], [random.between(HALF_HOUR_MS, 5_400_000), 14]]);

/** Walks the site with so many visitors, and compares what Daybook says with the books. */
export async function siteWalk(visitorCount: number, seed: number): Promise<void> {
  const world = await openWorld(FIRST_DAY_MS);
  try {
    const facts = await walkAll(world, visitorCount, new Random(seed));
    expect(world.proxy.surprises).toEqual([]);
    await compare(world, new Books(facts));
  } finally {
    await world.close();
  }
}

async function walkAll(world: World, visitorCount: number, random: Random): Promise<Fact[]> {
  const all = people(visitorCount, random);
  const memories = new Map<Person, Memory>();
  const facts: Fact[] = [];
  for (let start = 0; start < visitorCount; start += AT_ONCE) {
    const group = all.slice(start, start + AT_ONCE);
    // One of them is somebody who was here on another day.
    const former = memories.size > 0 ? random.of([...memories.keys()]) : undefined;
    if (former !== undefined && group.length === AT_ONCE) group[AT_ONCE - 1] = former;
    const seeds = group.map(() => random.between(0, 2 ** 31));
    const walkers = group.map((person, place) => new Walker(world, person, new Random(seeds[place] ?? 0), start + place, memories.get(person)));
    await walkADay(world, walkers, FIRST_DAY_MS + (start / AT_ONCE) * DAY_MS, random);
    for (const walker of walkers) {
      const memory = await walker.close();
      if (memory === undefined) continue;
      if (walker.person === former) memories.delete(former);
      else memories.set(walker.person, memory);
    }
    facts.push(...walkers.flatMap((walker) => walker.facts));
  }
  return facts;
}

/** In each round some of them take a step; the twins a second after the others, because two events of one moment have no order that is known. */
async function walkADay(world: World, walkers: readonly Walker[], startMs: number, random: Random): Promise<void> {
  world.setNow(startMs);
  await Promise.all(walkers.map((walker) => walker.open(world.browser)));
  const left = new Map(walkers.map((walker) => [walker, random.between(1, 6)]));
  let ms = startMs;
  for (let round = 0; round < ROUNDS; round++) {
    const those = walkers.filter((walker) => (left.get(walker) ?? 0) > 0 && (random.is(0.7) || ROUNDS - round <= (left.get(walker) ?? 0)));
    for (const walker of those) left.set(walker, (left.get(walker) ?? 0) - 1);
    for (const [place, isTwin] of [false, true].entries()) {
      world.setNow(ms + place * 1_000);
      const rests: Rest[] = await Promise.all(those.filter(({ person }) => person.isTwin === isTwin).map(walkOn));
      world.setNow(ms + place * 1_000 + 500);
      await Promise.all(rests.map((rest) => rest?.()));
    }
    ms += pauseMs(random);
  }
}

type Told = Readonly<Record<string, unknown>> & { readonly chart: readonly Readonly<Record<string, unknown>>[] };

async function compare({ ask, nowMs }: World, books: Books): Promise<void> {
  const { now_online, chart, ...web } = webOf(books, nowMs());
  const names = books.events.map(({ name }) => name);
  const told = await ask<Told>(`${PROJECT}/insights/web`, { limit: 1_000, interval: "day" });
  expect(told["figures"]).toEqual(web.figures);
  expect(told).toMatchObject({ now_online, ...web });
  const days = told.chart.filter(({ visitors, visits }) => visitors !== 0 || visits !== 0);
  expect(days.map(({ local, visitors, views, visits }) => ({ day: local, visitors, views, visits }))).toEqual(chart);
  const sessions = await ask<Record<string, unknown>>(`${PROJECT}/insights/sessions`, { limit: 1_000, breakdown: { fields: ["browser"] } });
  expect(sessions).toMatchObject(sessionsOf(books));
  const count = async (body: object) => (await ask<{ readonly data: unknown }>(`${PROJECT}/analytics/count-events`, body)).data;
  expect(await count({})).toBe(names.length);
  for (const { property, count: times } of countsOf(names)) expect([property, await count({ event_name: property })]).toEqual([property, times]);
  expect(await ask(`${PROJECT}/analytics/count-unique-users`, {})).toMatchObject({ data: web.figures.visitors });
  const aggregate = async (body: object) => (await ask<{ readonly data: unknown }>("/analytics/aggregate", body)).data;
  expect(await aggregate({ field: "event_name" })).toEqual(countsOf(names));
  expect(await aggregate({ field: "referrer_domain", event_name: "pageview" })).toEqual(referrersOf(books));
  expect(await aggregate({ metadata_field: "plan" })).toEqual(countsOf(books.events.map(({ plan }) => plan ?? "")));
  expect(await aggregate({ field: "url" })).toEqual(countsOf(books.events.map(({ path, query }) => path + query)));
}

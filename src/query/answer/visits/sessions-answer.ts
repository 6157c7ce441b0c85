/* eslint-disable @typescript-eslint/no-non-null-assertion -- keys are below the length of their counts */
import { placesByKey } from "../../../core/base/arrays.js";
import { runYielding, inPieces } from "../../../core/base/yield.js";
import type { SessionFigures, SessionPage, SessionsOverview } from "../../plan/insights/answers.js";
import type { SessionsOverviewPlan } from "../../plan/insights/plan.js";
import { slotsOf } from "../insights/buckets.js";
import { combinationsOf, type KeyGroups } from "../insights/combinations.js";
import { rateOf } from "../numbers.js";
import { keyEndOf, keysThere, sessionFigures, UserCounter, Visits, type PageCounts, type RequestedSessions, type VisitCounting } from "./visits.js";

class VisitsByKey {
  /** @param starts by key in `places`, and the end of the last @param places indexes of the visits, key by key, in their order */
  private constructor(
    readonly visits: Visits,
    private readonly starts: Uint32Array,
    private readonly places: Uint32Array,
  ) {}

  /** Cost: about 20 ns a visit, in chunks; 4 bytes for every possible key. @param pause yields */
  static async of(visits: Visits, keyOfVisit: Uint32Array, pause: () => Promise<void>): Promise<VisitsByKey> {
    const { starts, places } = await runYielding(placesByKey(keyOfVisit, await keyEndOf(keyOfVisit, pause)), pause);
    return new VisitsByKey(visits, starts, places);
  }

  *keys(): Generator<number> {
    for (let key = 0; key + 1 < this.starts.length; key += 1) if (this.countOf(key) > 0) yield key;
  }

  countOf(key: number): number {
    return (this.starts[key + 1] ?? 0) - (this.starts[key] ?? 0);
  }

  /** The visits with any of some keys, in no order. */
  async having(keys: Float64Array, pause: () => Promise<void>): Promise<Visits> {
    const { view, sessions } = this.visits;
    let count = 0;
    await inPieces(keys.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) count += this.countOf(keys[at]!);
    });
    const own = new Uint32Array(count);
    let end = 0;
    await inPieces(keys.length, pause, (from, to) => {
      for (let at = from; at < to; at += 1) for (let place = this.starts[keys[at]!]!; place < this.starts[keys[at]! + 1]!; place += 1) own[end++] = sessions[this.places[place]!]!;
    });
    return new Visits(view, own);
  }
}

export interface SessionGroups {
  readonly paths: KeyGroups;
  readonly groups: KeyGroups;
  keysOf(visits: Visits): Promise<Uint32Array>;
}

/** Session counts and durations, over time and by the values of first events. */
export async function sessionsAnswer(
  requested: RequestedSessions,
  plan: SessionsOverviewPlan,
  of: SessionGroups,
  counting: VisitCounting,
): Promise<Omit<SessionsOverview, "definition" | "asOf">> {
  const buckets: SessionsOverview["buckets"][number][] = [];
  // When both dates are given, the range alone determines the buckets.
  const extent = plan.isOpen.start || plan.isOpen.end ? requested.extent : null;
  for (const slot of slotsOf(plan, plan.interval, extent)) buckets.push({ ...slot.bucket, ...(await requested.figuresOf(slot)) });
  const total = await requested.figuresOf(plan.range);
  const pagesAt = async (end: "entry" | "exit") => await pagesOf(await requested.pagesAt(end), of.paths, plan.limit, counting.pause);
  const [entryPages, exitPages] = [await pagesAt("entry"), await pagesAt("exit")];
  return { buckets, total, ...(await rowsOf(requested, plan, of, counting)), entryPages, exitPages };
}

type Breakdown = Pick<SessionsOverview, "rows" | "rest" | "valueCount">;

async function rowsOf(requested: RequestedSessions, { breakdown }: SessionsOverviewPlan, of: SessionGroups, { scratch, pause }: VisitCounting): Promise<Breakdown> {
  if (breakdown === null) return { rows: null, rest: null, valueCount: 0 };
  const users = new UserCounter(scratch);
  const visits = await requested.visits();
  const byKey = await VisitsByKey.of(visits, await of.keysOf(visits), pause);
  const all = await runYielding(combinationsOf(byKey.keys(), of.groups), pause);
  const sizes = await runYielding(all.sumsOf((key) => byKey.countOf(key)), pause);
  const shown = await runYielding(all.greatest(sizes, breakdown.limit), pause);
  const figuresOf = async (keys: Float64Array) => await sessionFigures(await byKey.having(keys, pause), users, pause);
  const rows: { values: readonly string[]; figures: SessionFigures }[] = [];
  for (const place of shown) rows.push({ values: all.valuesOf(place), figures: await figuresOf(all.keysOf(place)) });
  return { rows, rest: breakdown.rest ? await figuresOf(await runYielding(all.restOf(shown), pause)) : null, valueCount: all.count };
}

/** Pages with the sessions that begin, or end, on them. Cost: the keys of the sessions. */
async function pagesOf(of: PageCounts, paths: KeyGroups, limit: number, pause: () => Promise<void>): Promise<SessionPage[]> {
  const pages = await runYielding(combinationsOf(keysThere(of.sessions), paths, false), pause);
  const sessions = await runYielding(pages.sumsOf((key) => of.sessions[key]!), pause);
  const bounces = await runYielding(pages.sumsOf((key) => of.bounces[key]!), pause);
  const shown = await runYielding(pages.greatest(sessions, limit), pause);
  return shown.map((place) => {
    const [count, bounced] = [sessions[place]!, bounces[place]!];
    return { value: pages.valuesOf(place)[0]!, sessions: count, bounces: bounced, bounceRate: rateOf(bounced, count) };
  });
}

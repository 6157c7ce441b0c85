import type { Daybook } from "daybook";
import type { LiveTraffic } from "./live.js";
import { canonicalColumns, type Peer } from "./peers/peer.js";
import type { BenchQuery, Window } from "./bench-query.js";
import { median } from "./table.js";

export interface Measurement {
  readonly query: string;
  readonly daybookMs: number;
  /** While the store lives: before each query events come in and somebody signs up. */
  readonly liveMs: number;
  readonly peerMs: Readonly<Record<string, number>>;
  /** The time of each engine's fastest peer over Daybook's, and the least of these. */
  readonly ratioByEngine: Readonly<Record<string, number>>;
  readonly ratio: number;
  /** The fastest peer, to whom nothing comes in, over Daybook's `liveMs`. */
  readonly liveRatio: number;
}

const warmupRoundCount = 3;
const windowCount = 30;
/** Live rounds that count, at least: nobody but Daybook is asked in them. */
const liveRoundCountMin = 9;
/** A peer that takes longer is asked in no more than so many rounds that count; one that takes far longer, only once more than answers are compared. */
const slowMs = 1_000;
const slowRoundCount = 3;
const verySlowMs = 15_000;
/** A run shorter than this is repeated, so that the clock's step does not matter. */
const sampleMsMin = 0.5;

/** 30 days of January to March 2026; every round another. */
export function windowOf(round: number): Window {
  const start = Date.UTC(2026, 0, 20 + (round % windowCount));
  const date = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return { startDate: date(start), endDate: date(start + 29 * 86_400_000) };
}

/** Milliseconds per run, from one or more runs back to back, each with its own window. */
async function time(run: (window: Window) => Promise<unknown>, round: number): Promise<number> {
  const startedMs = performance.now();
  let [runCount, elapsedMs] = [0, 0];
  while (elapsedMs < sampleMsMin) {
    await run(windowOf(round + runCount));
    runCount += 1;
    elapsedMs = performance.now() - startedMs;
  }
  return elapsedMs / runCount;
}

/** Milliseconds that each peer took for the last answer. */
async function checkEqual(query: BenchQuery, daybook: Daybook, peers: readonly Peer[]): Promise<ReadonlyMap<Peer, number>> {
  const tookMs = new Map<Peer, number>();
  for (const window of [windowOf(0), windowOf(7)]) {
    const answer = query.canonical(await query.run(daybook, window));
    // Two empty answers would agree about nothing.
    if (answer === 0 || (typeof answer !== "number" && answer.length === 0)) throw new Error(`${query.name}: expected an answer, got nothing`);
    const expected = JSON.stringify(answer);
    for (const peer of peers) {
      const startedMs = performance.now();
      const columns = await peer.run(query, window);
      tookMs.set(peer, performance.now() - startedMs);
      const got = JSON.stringify(canonicalColumns(columns, query));
      if (got === expected) continue;
      const at = [...expected].findIndex((character, index) => character !== got[index]);
      const around = (text: string) => text.slice(Math.max(0, at - 60), at + 60);
      throw new Error(`${query.name}: Daybook and ${peer.name} differ: …${around(expected)}… and …${around(got)}…`);
    }
  }
  return tookMs;
}

/** Whether a peer is asked in this round of the warm-up and of those that count. */
function isDue(tookMs: number, round: number, taken: readonly number[]): boolean {
  if (tookMs >= verySlowMs) return round === warmupRoundCount;
  return taken.length < slowRoundCount || median(taken) < slowMs;
}

/** Median time of a query while the store lives. Only the query is timed. */
export async function measureLive(query: BenchQuery, daybook: Daybook, live: LiveTraffic, roundCount: number): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round < warmupRoundCount + Math.max(roundCount, liveRoundCountMin); round += 1) {
    await live.step();
    const startedMs = performance.now();
    await query.run(daybook, windowOf(round));
    if (round >= warmupRoundCount) samples.push(performance.now() - startedMs);
  }
  return median(samples);
}

/** Compares the answers, then asks everyone in turn, round after round. Medians of the rounds after the warm-up. */
export async function measure(query: BenchQuery, daybook: Daybook, peers: readonly Peer[], live: LiveTraffic, roundCount: number): Promise<Measurement> {
  const tookMs = await checkEqual(query, daybook, peers);
  // Warm means warm: Daybook may keep what it found out about a window's days. DuckDB keeps nothing of that kind, ClickHouse the blocks in which a filter found rows.
  for (let round = 0; round < windowCount; round += 1) await query.run(daybook, windowOf(round));
  const samples = new Map<string, number[]>([["", []], ...peers.map(({ name }): [string, number[]] => [name, []])]);
  for (let round = 0; round < warmupRoundCount + roundCount; round += 1) {
    const runs: [string, number][] = [["", await time((window) => query.run(daybook, window), round)]];
    for (const peer of peers) {
      const taken = samples.get(peer.name) ?? [];
      if (isDue(tookMs.get(peer) ?? 0, round, taken)) runs.push([peer.name, await time((window) => peer.run(query, window), round)]);
    }
    if (round < warmupRoundCount) continue;
    for (const [name, ms] of runs) samples.get(name)?.push(ms);
  }
  const daybookMs = median(samples.get("") ?? []);
  const peerMs = Object.fromEntries(peers.map(({ name }) => [name, median(samples.get(name) ?? [])]));
  const ratioByEngine: Record<string, number> = {};
  for (const { name, engine } of peers) {
    ratioByEngine[engine] = Math.min(ratioByEngine[engine] ?? Number.POSITIVE_INFINITY, (peerMs[name] ?? Number.NaN) / daybookMs);
  }
  const ratio = Math.min(...Object.values(ratioByEngine));
  const liveMs = await measureLive(query, daybook, live, roundCount);
  const liveRatio = (ratio * daybookMs) / liveMs;
  return { query: query.name, daybookMs, liveMs, peerMs, ratioByEngine, ratio, liveRatio };
}

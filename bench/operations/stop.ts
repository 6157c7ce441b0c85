import { openDaybook, type Daybook } from "daybook";
import { fileStorage } from "daybook/node";
import { clock } from "../clock.js";
import { windowOf } from "../measure.js";
import type { BenchQuery } from "../bench-query.js";
import { queries } from "../queries.js";

/** Of the time that the first answer takes: when the signal says stop. */
const SHARES = [0.1, 0.3, 0.5, 0.7, 0.9];

/** A Daybook all queries of which have a signal that says stop from a moment on. */
function stoppedAt(daybook: Daybook, stopMs: () => number): Daybook {
  const signal = {
    get aborted() {
      return performance.now() >= stopMs();
    },
  };
  return new Proxy(daybook, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? (input: unknown) => (member as (...given: unknown[]) => unknown).call(target, input, { signal }) : member;
    },
  });
}

/** Milliseconds from the signal to the end of a query that a new Daybook is asked; 0 where it was answered before. */
async function stopDelayMs(query: BenchQuery, store: string, afterMs: number): Promise<number> {
  const daybook = await openDaybook({ storage: fileStorage(store), clock, readOnly: true });
  const atMs = performance.now() + afterMs;
  try {
    await query.run(stoppedAt(daybook, () => atMs), windowOf(0));
    return Math.max(0, performance.now() - atMs);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "aborted") throw error;
    return performance.now() - atMs;
  } finally {
    await daybook.close();
  }
}

async function firstMs(query: BenchQuery, store: string): Promise<number> {
  const daybook = await openDaybook({ storage: fileStorage(store), clock, readOnly: true });
  const startedMs = performance.now();
  await query.run(daybook, windowOf(0));
  const ms = performance.now() - startedMs;
  await daybook.close();
  return ms;
}

/** How long each query goes on after its signal: the longest of some moments of the first answer, which does the most. */
export async function stopFigures(store: string): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const query of queries) {
    const ms = await firstMs(query, store);
    const delays: number[] = [];
    for (const share of SHARES) delays.push(await stopDelayMs(query, store, ms * share));
    figures[`stopped, ms: ${query.name}`] = Math.max(...delays);
  }
  return figures;
}

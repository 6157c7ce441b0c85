import { openDaybook, type Daybook } from "daybook";
import { fileStorage } from "daybook/node";
import { clock } from "../clock.js";
import { windowOf } from "../measure.js";
import type { Question } from "../question.js";
import { questions } from "../questions.js";

/** Of the time that the first answer takes: when the signal says stop. */
const SHARES = [0.1, 0.3, 0.5, 0.7, 0.9];

/** A Daybook all questions of which have a signal that says stop from a moment on. */
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

/** Milliseconds from the signal to the end of a question that a new Daybook is asked; 0 where it was answered before. */
async function stopDelayMs(question: Question, store: string, afterMs: number): Promise<number> {
  const daybook = await openDaybook({ storage: fileStorage(store), clock, readOnly: true });
  const atMs = performance.now() + afterMs;
  try {
    await question.ask(stoppedAt(daybook, () => atMs), windowOf(0));
    return Math.max(0, performance.now() - atMs);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "aborted") throw error;
    return performance.now() - atMs;
  } finally {
    await daybook.close();
  }
}

async function firstMs(question: Question, store: string): Promise<number> {
  const daybook = await openDaybook({ storage: fileStorage(store), clock, readOnly: true });
  const startedMs = performance.now();
  await question.ask(daybook, windowOf(0));
  const ms = performance.now() - startedMs;
  await daybook.close();
  return ms;
}

/** How long each question goes on after its signal: the longest of some moments of the first answer, which does the most. */
export async function stopFigures(store: string): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const question of questions) {
    const ms = await firstMs(question, store);
    const delays: number[] = [];
    for (const share of SHARES) delays.push(await stopDelayMs(question, store, ms * share));
    figures[`stopped, ms: ${question.name}`] = Math.max(...delays);
  }
  return figures;
}

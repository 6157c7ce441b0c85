import { openDaybook, verifyStore, type Daybook } from "daybook";
import { fileStorage } from "daybook/node";
import { seededRandom } from "daybook/testing";
import { expect } from "vitest";
import { join } from "node:path";
import { storeOf } from "../../src/engine/open-daybook.js";
import { backupStore } from "../../src/store/backup/backup-store.js";
import { WRITER_COUNT, acknowledgedBy, type Acknowledged } from "./backup-rounds.js";
import { type Running, emptyDirectory, startProgram } from "./run.js";

const BATCH_ROWS = 7;
/** What is acknowledged is shown within so many ms. */
const WITHIN_MS = 1_000;

export interface FollowRounds {
  /** Processes that write, one after the other: each is killed. */
  readonly lifeCount: number;
  /** A backup is taken after each pause. */
  readonly backupsPerLife: number;
  readonly pauseMs: number;
}

/** What a follower was asked. */
export interface Followed {
  readonly askedCount: number;
  /** Queries whose answer was of a later state than that of the one before. */
  readonly newerCount: number;
  readonly erasedCount: number;
  /** Ms of the longest query. */
  readonly longestMs: number;
}

/**
 * Follows a store that processes write, seal, compact and erase in all the time, each until it is killed, while backups are taken of it; and demands
 * of each answer that it is of whole batches, holds all that was acknowledged a second before, nobody who was erased by then, and no less than the
 * answer before.
 */
export async function followRounds(seed: number, { lifeCount, backupsPerLife, pauseMs }: FollowRounds): Promise<Followed> {
  const random = seededRandom(seed);
  const [directory, target] = [await emptyDirectory(), join(await emptyDirectory(), "backup")];
  const said = new Said();
  let watch: Watch | null = null;
  for (let life = 0; life < lifeCount; life += 1) {
    const writer = startProgram("test/cli/busy-writer.ts", [directory, JSON.stringify(said.now().counts), String(BATCH_ROWS), `life ${life}`]);
    said.hear(writer);
    await writer.said(/acknowledged/);
    const before = said.now();
    watch ??= new Watch(await openDaybook({ storage: fileStorage(directory), readOnly: true, follow: true }), said, before, `seed ${seed}`);
    for (let number = 0; number < backupsPerLife; number += 1) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + random.next())));
      await backupStore(fileStorage(directory), fileStorage(target), { takenMs: Date.now() });
      const { findings, notes } = await verifyStore(fileStorage(target));
      expect([findings, notes], `backup ${number} of life ${life} of seed ${seed}`).toEqual([[], []]);
      watch.refuseFailed();
    }
    if (life === 0) await writer.said(/erased .*;\n/);
    writer.child.kill("SIGKILL");
    const { stderr, signal } = await writer.finished;
    expect([stderr, signal]).toEqual(["", "SIGKILL"]);
  }
  if (watch === null) throw new Error("expected a life at least");
  return await watch.end();
}

/** What the writers of a store have acknowledged, all lives together. */
class Said {
  #before: Acknowledged = { counts: Array.from({ length: WRITER_COUNT }, () => 0), erased: [] };
  #writer: Running | null = null;

  hear(writer: Running): void {
    this.#before = this.now();
    this.#writer = writer;
  }

  now(): Acknowledged {
    if (this.#writer === null) return this.#before;
    const { counts, erased } = acknowledgedBy(this.#writer);
    return { counts: this.#before.counts.map((count, writer) => Math.max(count, counts[writer] ?? 0)), erased: [...this.#before.erased, ...erased] };
  }
}

/** Asks a follower without a break. */
class Watch {
  #isEnding = false;
  #failure: unknown = null;
  readonly #asking: Promise<Followed>;

  constructor(
    readonly follower: Daybook,
    readonly said: Said,
    /** Acknowledged before the follower was opened. */
    readonly before: Acknowledged,
    readonly place: string,
  ) {
    this.#asking = this.#ask();
    this.#asking.catch((error: unknown) => (this.#failure = error));
  }

  refuseFailed(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  async end(): Promise<Followed> {
    await new Promise((resolve) => setTimeout(resolve, WITHIN_MS));
    this.#isEnding = true;
    const followed = await this.#asking;
    await this.follower.close();
    return followed;
  }

  async #ask(): Promise<Followed> {
    const { follower, said, before, place } = this;
    const acknowledged: (Acknowledged & { readonly atMs: number })[] = [{ ...before, atMs: -Infinity }];
    let former: readonly number[] = [0, 0, 0];
    let [sequence, askedCount, newerCount, longestMs] = [0, 0, 0, 0];
    for (let isLast = false; !isLast; askedCount += 1) {
      isLast = this.#isEnding;
      const startedMs = performance.now();
      while ((acknowledged[1]?.atMs ?? Infinity) <= startedMs - WITHIN_MS) acknowledged.shift();
      const due = acknowledged[0];
      const found = await countsIn(follower);
      const people = await follower.aggregate({ field: "userId", filterGroups: [{ filters: [{ fieldName: "name", operator: "equals", value: "gone" }] }] });
      longestMs = Math.max(longestMs, performance.now() - startedMs);
      for (const [writer, count] of found.entries()) {
        expect(count % BATCH_ROWS, place).toBe(0);
        expect(count, place).toBeGreaterThanOrEqual(Math.max(former[writer] ?? 0, due?.counts[writer] ?? 0));
      }
      for (const { property } of people) expect(due?.erased, `${place}: ${property} is still there`).not.toContain(property);
      const now = storeOf(follower)?.newestSequence ?? 0;
      expect(now, place).toBeGreaterThanOrEqual(sequence);
      if (now > sequence) newerCount += 1;
      [former, sequence] = [found, now];
      acknowledged.push({ ...said.now(), atMs: performance.now() });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return { askedCount, newerCount, longestMs, erasedCount: said.now().erased.length };
  }
}

/** Events of each writer. */
async function countsIn(follower: Daybook): Promise<readonly number[]> {
  const counts = Array.from({ length: WRITER_COUNT }, () => 0);
  for (const { property, count } of await follower.aggregate({ metadataField: "writer" })) if (property !== "") counts[Number(property)] = count;
  return counts;
}

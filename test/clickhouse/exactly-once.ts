import { memoryStorage, openDaybook, type EventInput, type IngestResult } from "daybook";
import { openClickHouse, type ClickHouseDaybook, type ClickHouseOptions } from "daybook/clickhouse";
import { seededRandom, type Random } from "daybook/testing";
import { expect } from "vitest";
import { startProgram, type Running } from "../cli/run.js";
import { newDatabase, order, type Layout } from "./kit.js";
import type { Order } from "./server/faults.js";

const WRITER_COUNT = 4;
const NEW_IDS = 30;
const BATCH_IDS = 20;
/** Ids of earlier rounds that come again, each time as another event. */
const OLD_IDS = 5;
const KILLED_WITHIN_MS = 500;
const FIRST_MS = Date.parse("2026-01-01T00:00:00Z");

/** A batch that a writer was sent, and when, in ms. */
interface Attempt {
  readonly ids: readonly number[];
  readonly beganMs: number;
  /** When it said that all are stored. */
  ackedMs: number;
}

/** What happened, so that a test can demand that enough of it did. */
export interface Played {
  kills: number;
  /** Answers that were errors. */
  errors: number;
  acked: number;
  /** Rounds behind which an id was there twice until it was sent again. */
  twice: number;
  readonly eventCount: number;
}

/** A process that stores what it is sent. */
class Writer {
  #running: Running;
  #heard = 0;

  constructor(readonly options: ClickHouseOptions) {
    this.#running = this.#start();
  }

  /** What it says of a batch; null where it was killed before. */
  async send(events: readonly EventInput[]): Promise<IngestResult | { readonly code: string } | null> {
    const running = this.#running;
    const { child } = running;
    try {
      await running.said(/^ready\n/);
      child.stdin?.write(`${JSON.stringify(events)}\n`);
      const answer = new RegExp(`^ready\n(?:.*\n){${this.#heard}}(.*)\n`);
      this.#heard += 1;
      return JSON.parse((await running.said(answer))[1] ?? "") as IngestResult;
    } catch (error) {
      if (child.signalCode === "SIGKILL") return null;
      throw error;
    }
  }

  /** Ends it as a power failure does, and starts another. */
  async kill(): Promise<void> {
    this.#running.child.kill("SIGKILL");
    await this.#running.finished;
    this.#heard = 0;
    this.#running = this.#start();
  }

  async end(): Promise<void> {
    this.#running.child.kill("SIGKILL");
    await this.#running.finished;
  }

  #start(): Running {
    return startProgram("test/clickhouse/writer.ts", [JSON.stringify(this.options)], { input: null });
  }
}

const OUT_OF_MEMORY = "Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)";
const FAULTS: readonly ((random: Random) => Order)[] = [
  (random) => ({ kind: "lose", statement: "INSERT INTO events", times: random.between(1, 3) }),
  (random) => ({ kind: "refuse", statement: "INSERT INTO events", times: random.between(1, 3) }),
  (random) => ({ kind: "slow", statement: "INSERT INTO events", ms: random.between(20, 400), times: random.between(1, 4) }),
  (random) => ({ kind: "slow", statement: "SELECT id, batch", ms: random.between(20, 200), after: random.below(4), times: random.between(1, 4) }),
  (random) => ({ kind: "refuse", statement: "SELECT id, batch", after: random.below(8) }),
  (random) => ({ kind: "error", statement: "SELECT id, batch", after: random.below(8), message: OUT_OF_MEMORY }),
  () => ({ kind: "refuse", statement: "ALTER TABLE" }),
  () => ({ kind: "lose", statement: "INSERT INTO links" }),
];

/** Some writers bring the same events at once, are killed at any moment, lose answers, and send again what they have no answer for. */
export async function playRounds(layout: Layout, seed: number, roundCount: number): Promise<Played> {
  const { options, drop } = await newDatabase(layout);
  const writers = Array.from({ length: WRITER_COUNT }, () => new Writer(options));
  const reader = await openClickHouse(options);
  const game = new Game(writers, reader, seededRandom(seed));
  for (let round = 0; round < roundCount; round += 1) await game.play(round, `round ${round} of seed ${seed}`);
  await game.expectAll(roundCount);
  for (const writer of writers) await writer.end();
  await reader.close();
  await drop();
  return { ...game.played, eventCount: roundCount * NEW_IDS };
}

class Game {
  readonly played = { kills: 0, errors: 0, acked: 0, twice: 0 };
  /** By the name that the events of an attempt bear. */
  readonly #attempts = new Map<string, Attempt>();
  /** Which attempt's event stays, of every id of earlier rounds. */
  readonly #stays = new Map<number, string>();

  constructor(
    readonly writers: readonly Writer[],
    readonly reader: ClickHouseDaybook,
    readonly random: Random,
  ) {}

  async play(round: number, place: string): Promise<void> {
    const { random } = this;
    this.#attempts.clear();
    await order(...FAULTS.filter(() => random.chance(0.3)).map((fault) => fault(random)));
    const ids = Array.from({ length: NEW_IDS }, (_, at) => round * NEW_IDS + at);
    const old = Array.from({ length: round === 0 ? 0 : OLD_IDS }, () => random.below(round * NEW_IDS));
    const isSame = random.chance(0.4);
    const plans = this.writers.map(() => ({
      ids: [...new Set(isSame ? ids : [...random.shuffled(ids).slice(0, BATCH_IDS), ...old])],
      killedAfterMs: random.chance(0.4) ? random.next() * KILLED_WITHIN_MS : null,
    }));
    const writerOf = (at: number) => this.writers[at] as Writer;
    await Promise.all(plans.map((plan, at) => this.#bring(`${round} ${at}`, writerOf(at), plan.ids, plan.killedAfterMs)));
    await order();
    const sent = new Set(plans.flatMap((plan) => plan.ids).filter((id) => id >= round * NEW_IDS));
    if ((await this.#stored(round)).length > sent.size) this.played.twice += 1;
    await this.#bring(`${round} last`, this.writers[0] as Writer, ids, null);
    const stored = await this.#stored(round);
    expect(stored.map(([id]) => id), place).toEqual(ids);
    for (const [id, by] of stored) {
      const of = [...this.#attempts.values()].filter((attempt) => attempt.ids.includes(id));
      // Who began after somebody was told that it is stored comes too late.
      expect(this.#attempts.get(by)?.beganMs, `${place}, event ${id} by ${by}`).toBeLessThanOrEqual(Math.min(...of.map(({ ackedMs }) => ackedMs)));
      this.#stays.set(id, by);
    }
  }

  /** All events once, as they were behind their rounds, and people as the embedded engine knows them by the same events. */
  async expectAll(roundCount: number): Promise<void> {
    await using embedded = await openDaybook({ storage: memoryStorage() });
    const all: [number, string][] = [];
    for await (const event of this.reader.exportEvents()) {
      all.push(numberAndName(event));
      await embedded.ingest([event]);
    }
    expect(all.sort(([a], [b]) => a - b)).toEqual([...this.#stays]);
    expect(all.length).toBe(roundCount * NEW_IDS);
    expect(await this.reader.countEvents()).toBe(all.length);
    expect(await this.reader.countUniqueUsers()).toBe(await embedded.countUniqueUsers());
    expect(await this.reader.projects()).toEqual(embedded.projects());
  }

  async #bring(of: string, writer: Writer, ids: readonly number[], killedAfterMs: number | null): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      const name = `${of} ${tries}`;
      const attempt: Attempt = { ids, beganMs: performance.now(), ackedMs: Infinity };
      this.#attempts.set(name, attempt);
      const sent = writer.send(ids.map((id) => eventOf(id, name)));
      const isKilled = killedAfterMs !== null && tries === 0;
      if (isKilled) {
        await new Promise((resolve) => setTimeout(resolve, killedAfterMs));
        await writer.kill();
        this.played.kills += 1;
      }
      const answer = await sent;
      if (answer !== null && "accepted" in answer) {
        attempt.ackedMs = performance.now();
        this.played.acked += 1;
        expect(answer.accepted + answer.duplicates).toBe(ids.length);
        return;
      }
      if (answer !== null) this.played.errors += 1;
      if (tries === 50) throw new Error(`${name}: ${JSON.stringify(answer)}`);
    }
  }

  /** Events of a round, by number. */
  async #stored(round: number): Promise<[id: number, by: string][]> {
    const found: [number, string][] = [];
    for await (const event of this.reader.exportEvents({ project: `round${round}` })) found.push(numberAndName(event));
    return found.sort(([a], [b]) => a - b);
  }
}

/** The event of a number: the same from everybody, but that each says who brought it. */
function eventOf(id: number, by: string): EventInput {
  const round = Math.floor(id / NEW_IDS);
  // Some projects have one event each, some days too.
  return {
    id: `event ${id}`, name: "seen", project: `round${round}`, createdAt: FIRST_MS + id * 8_000_000,
    ...(id % 3 === 0 ? {} : { userId: `u${id % 17}` }),
    ...(id % 4 === 0 ? {} : { anonymousId: `a${id % 23}` }),
    metadata: { number: id, by },
  };
}

function numberAndName({ metadata }: { readonly metadata?: Readonly<Record<string, unknown>> }): [number, string] {
  return [Number(metadata?.["number"]), String(metadata?.["by"])];
}

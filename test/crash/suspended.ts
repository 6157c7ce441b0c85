import { type Daybook, fixedClock, openDaybook, verifyStore } from "daybook";
import { fileStorage } from "daybook/node";
import { SimulatedDisk, SimulatedFileSystem, simulatedProcess } from "daybook/testing";
import { expect } from "vitest";
import { SERVER_LIMITS } from "../../src/core/base/server-limits.js";

const STORE = "/data/store";
const clock = fixedClock(Date.UTC(2026, 2, 9));
const eventOf = (id: string) => ({ id, name: id, userId: `user of ${id}`, createdAt: Date.UTC(2026, 2, 1) });

/** Everything that changes files: seals, enough of them for a compaction, records, privacy requests, an erasure. */
function actsOf(name: string): ((daybook: Daybook, acknowledged: Set<string>) => Promise<unknown>)[] {
  const ingest = (id: string) => async (daybook: Daybook, acknowledged: Set<string>) => {
    await daybook.ingest([eventOf(`${name} ${id}`)]);
    acknowledged.add(`${name} ${id}`);
  };
  const seal = (daybook: Daybook) => daybook.seal();
  const erase = async ({ privacyRequests }: Daybook, acknowledged: Set<string>) => {
    const { id } = await privacyRequests.create({ type: "erasure", subject: { userId: `user of ${name} 0` } });
    await privacyRequests.verify(id);
    await privacyRequests.acknowledge(id);
    // Whether it happened is not known from now on, unless it is answered for.
    acknowledged.delete(`${name} 0`);
    await privacyRequests.resolve(id, "completed");
  };
  const sealed = [0, 1, 2, 3, 4].flatMap((number) => [ingest(String(number)), seal]);
  return [...sealed, (daybook) => daybook.identify({ userId: `user of ${name} 1`, email: `${name}@example.org` }), erase, ingest("last")];
}

/** A writer that stands still, for longer than its lock counts, right at one of its file operations; another takes over and it goes on. */
class Story {
  readonly #acknowledged = new Set<string>();
  #nowMs = 0;
  readonly #disk = new SimulatedDisk(undefined, () => this.#nowMs);
  #pauseCount = 0;
  #stands: () => void = () => undefined;
  #goOn: () => void = () => undefined;

  /** @param at the place: operations begun and ended before it */
  constructor(private readonly at: number) {}

  /** Answers how many places there were. */
  async run(): Promise<number> {
    const stood = new Promise<void>((resolve) => (this.#stands = resolve));
    const gate = new Promise<void>((resolve) => (this.#goOn = resolve));
    const pause = () => {
      this.#pauseCount += 1;
      if (this.#pauseCount < this.at) return;
      this.#stands();
      return gate;
    };
    const progress = { hasTakenOver: false };
    const first = this.#first(new SimulatedFileSystem(this.#disk, { pause }), progress);
    await Promise.race([stood, first]);
    this.#nowMs += SERVER_LIMITS.lockLeaseMs + 1;
    const second = await this.#open(2, new SimulatedFileSystem(this.#disk));
    for (const act of actsOf("second").slice(0, 3)) await act(second, this.#acknowledged);
    progress.hasTakenOver = true;
    this.#goOn();
    await first;
    for (const act of actsOf("second").slice(3)) await act(second, this.#acknowledged);
    await second.close();
    await this.#check();
    return this.#pauseCount;
  }

  #open(process: number, fileSystem: SimulatedFileSystem): Promise<Daybook> {
    return openDaybook({ storage: this.#storage(process, fileSystem), clock });
  }

  #storage(process: number, fileSystem = new SimulatedFileSystem(this.#disk)) {
    return fileStorage(STORE, { fileSystem, processes: simulatedProcess(process, "unknown") });
  }

  /** What it was about when it stood still may have been done before; nothing that it begins afterwards may be. */
  async #first(fileSystem: SimulatedFileSystem, progress: { readonly hasTakenOver: boolean }): Promise<void> {
    const daybook = await this.#open(1, fileSystem).catch((error: unknown) => this.#expectLocked(error));
    if (daybook === null) return;
    for (const act of actsOf("first")) {
      const isLate = progress.hasTakenOver;
      await act(daybook, this.#acknowledged).then(
        () => expect(isLate, `an act after it was taken over at ${this.at}`).toBe(false),
        (error: unknown) => this.#expectLocked(error),
      );
    }
    await daybook.close().catch((error: unknown) => this.#expectLocked(error));
  }

  #expectLocked(error: unknown): null {
    expect(error, `at ${this.at}`).toMatchObject({ code: "store_locked" });
    return null;
  }

  async #check(): Promise<void> {
    const { findings } = await verifyStore(this.#storage(3));
    expect(findings, `at ${this.at}`).toEqual([]);
    const third = await this.#open(3, new SimulatedFileSystem(this.#disk));
    const stored: string[] = [];
    for await (const { name } of third.exportEvents()) stored.push(name);
    await third.close();
    expect(new Set(stored).size, `at ${this.at}`).toBe(stored.length);
    expect(stored, `at ${this.at}`).toEqual(expect.arrayContaining([...this.#acknowledged]));
  }
}

/** Lets a writer stand still at one place after the other, each `step`th from `first` on, 1 being the first. Answers how many it tried. */
export async function standStill(first: number, step: number): Promise<number> {
  const placeCount = await new Story(Infinity).run();
  let triedCount = 0;
  for (let at = first; at <= placeCount; at += step) {
    await new Story(at).run();
    triedCount += 1;
  }
  return triedCount;
}

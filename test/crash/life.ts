import { type Daybook, type Durability, fixedClock, openDaybook } from "daybook";
import { fileStorage } from "daybook/node";
import { type DiskState, type Faults, type Random, SimulatedDisk, SimulatedFileSystem, seededRandom, simulatedProcess } from "daybook/testing";
import { JOURNAL_HEADER_BYTES } from "../../src/store/journal/journal.js";
import type { FileSystem } from "../../src/store/storage/file-system.js";
import { Actor, type Numbers, nowMs } from "./acts.js";
import type { World } from "./check.js";
import { type Ledger, LedgerKeeper } from "./ledger.js";

/** A moment at which everything may end: what the disk and the kernel hold, and what is known to have been sent. */
export interface Moment {
  readonly state: DiskState;
  readonly ledger: Ledger;
  /** What the disk did last. */
  readonly operation: string;
  /** Whether the store was being opened. */
  readonly isOpening: boolean;
}

/** A moment at random: every other one, where there is any, with frames in a journal that no sync has made durable. */
export function randomMoment(moments: readonly Moment[], random: Random): Moment {
  let risky = riskyMoments.get(moments);
  if (risky === undefined) {
    risky = moments.filter(({ state }) => hasUnsyncedJournal(state));
    riskyMoments.set(moments, risky);
  }
  return random.pick(risky.length > 0 && random.chance(0.5) ? risky : moments);
}

const riskyMoments = new WeakMap<readonly Moment[], readonly Moment[]>();

function hasUnsyncedJournal({ files, directories }: DiskState): boolean {
  let node: number | undefined = 0;
  for (const name of `${STORE}/journal`.split("/").slice(1)) node = directories.get(node ?? -1)?.current.get(name);
  const journals = directories.get(node ?? -1)?.current.values() ?? [];
  return [...journals].some((journal) => (files.get(journal)?.current.length ?? 0) > JOURNAL_HEADER_BYTES && (files.get(journal)?.changes.length ?? 0) > 0);
}

/** What all lives of a store have in common. */
export interface Fate {
  readonly durability: Durability;
  /** What stands between the storage and the disk: a mutant, or nothing. */
  readonly wrap: (fileSystem: FileSystem) => FileSystem;
  readonly world: World;
  readonly numbers: Numbers;
}

export function newFate(durability: Durability = "disk", wrap: Fate["wrap"] = (fileSystem) => fileSystem): Fate {
  return { durability, wrap, world: new Map(), numbers: { next: 0 } };
}

const clock = fixedClock(nowMs);
export const STORE = "/data/store";

export interface LifeOptions {
  readonly random: Random;
  readonly faults?: Faults;
  /** Whether operations wait for each other at random. Default: each happens at once. */
  readonly isInterleaved?: boolean;
  /** Told what acts reject with; default: throws it. */
  readonly failed?: (error: unknown) => void;
}

/** One process on a disk, from its start. Each has a number: its pid. */
export class Life {
  readonly disk: SimulatedDisk;
  readonly fileSystem: SimulatedFileSystem;
  readonly keeper: LedgerKeeper;
  readonly moments: Moment[] = [];
  readonly #storage;
  #daybook: Daybook | null = null;

  constructor(
    readonly fate: Fate,
    readonly number: number,
    state: DiskState | undefined,
    ledger: Ledger | undefined,
    private readonly options: LifeOptions,
  ) {
    const { random, faults = () => null, isInterleaved = false } = options;
    this.disk = new SimulatedDisk(state);
    this.keeper = new LedgerKeeper(ledger);
    const pause = isInterleaved ? () => hops(random.below(3)) : () => undefined;
    this.fileSystem = new SimulatedFileSystem(this.disk, { faults, pause });
    this.#storage = fileStorage(STORE, { fileSystem: fate.wrap(this.fileSystem), processes: simulatedProcess(number) });
  }

  get daybook(): Daybook {
    if (this.#daybook === null) throw new Error("the store is not open");
    return this.#daybook;
  }

  get actor(): Actor {
    const { fate, keeper, daybook } = this;
    const { random, failed = rethrow } = this.options;
    return new Actor({ daybook, keeper, random, world: fate.world, numbers: fate.numbers, answer: fate.durability === "os" ? "written" : "yes", failed });
  }

  /** From now on every change of disk or ledger is a moment. */
  record(): void {
    let state = this.disk.state();
    const note = (operation: string) => this.moments.push({ state, ledger: this.keeper.ledger, operation, isOpening: this.#daybook === null });
    this.disk.changed = ({ kind, path }) => {
      state = this.disk.state();
      note(`${kind} ${path.slice(STORE.length + 1)}`);
    };
    this.keeper.changed = () => note("an answer");
    note("nothing");
  }

  async open(): Promise<void> {
    const secrets = seededRandom(7);
    const random = (bytes: Uint8Array) => bytes.forEach((_, at) => (bytes[at] = secrets.below(256)));
    this.#daybook = await openDaybook({ storage: this.#storage, clock, random, durability: this.fate.durability });
  }

  async close(): Promise<void> {
    await this.daybook.close();
    this.#daybook = null;
  }
}

async function hops(count: number): Promise<void> {
  for (let hop = 0; hop < count; hop += 1) await Promise.resolve();
}

function rethrow(error: unknown): never {
  throw error;
}

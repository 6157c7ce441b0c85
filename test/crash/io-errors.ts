import { DaybookError, type ErrorCode } from "daybook";
import { type DiskOperation, type Fault, type Faults, type Random, powerLoss, seededRandom } from "daybook/testing";
import { violation } from "./check.js";
import { Violation, survive } from "./crash-case.js";
import { afterPowerLoss } from "./ledger.js";
import { type Fate, Life, type Moment, newFate, randomMoment } from "./life.js";
import { observe } from "./observe.js";

/** How the disk fails. */
export interface Trouble {
  readonly name: string;
  /** Operations that can fail so. */
  readonly kinds: readonly DiskOperation["kind"][];
  readonly fault: Fault;
  /** From then on every such operation, until the disk is well again. */
  readonly isPersistent: boolean;
}

const ALL = ["create", "open", "read", "write", "truncate", "sync", "rename", "unlink", "list", "makeDirectory", "syncDirectory", "stat"] as const;
function once(name: string, kinds: Trouble["kinds"], fault: Fault): Trouble {
  return { name, kinds, fault, isPersistent: false };
}

function persistent({ name, kinds, fault }: Trouble): Trouble {
  return { name: `${name}, again and again`, kinds, fault, isPersistent: true };
}

const transient: readonly Trouble[] = [
  once("EIO", ALL, { errno: "EIO" }),
  once("EIO after half a write", ["write"], { errno: "EIO", takenByteLength: 200 }),
  once("EIO after a whole write", ["write"], { errno: "EIO", takenByteLength: 1_000_000 }),
  once("EIO of a sync that drops pages", ["sync"], { errno: "EIO", pages: "dropped" }),
  once("EIO of a sync that drops and forgets pages", ["sync"], { errno: "EIO", pages: "evicted" }),
  once("ENOSPC", ["create", "write", "makeDirectory"], { errno: "ENOSPC" }),
  once("ENOSPC of renames", ["rename"], { errno: "ENOSPC" }),
  once("ENOSPC of syncs", ["sync", "syncDirectory"], { errno: "ENOSPC" }),
  once("ENOSPC after a part of a write", ["write"], { errno: "ENOSPC", takenByteLength: 40 }),
  once("EMFILE", ["create", "open", "list"], { errno: "EMFILE" }),
  once("short reads and writes", ["read", "write"], { byteLengthMax: 7 }),
];

export const troubles: readonly Trouble[] = [...transient, ...transient.map(persistent)];

/** Codes that a failing disk may end in. `internal` only with the errno of the disk: else it is a defect. */
const SANE: readonly ErrorCode[] = ["storage_full", "read_only", "overloaded"];

function insane(error: unknown): string | null {
  if (!(error instanceof DaybookError)) return `a foreign error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  if (SANE.includes(error.code) || (error.code === "internal" && "errno" in error.details)) return null;
  return `an error of code ${error.code}: ${error.message}`;
}

/** A storage that takes failures in a wrong way. */
export interface ErrorMutant {
  readonly name: string;
  /** In the names of the troubles that show it. */
  readonly trouble: string;
  readonly wrap: Fate["wrap"];
}

/** Puts at least `count` errors in the way of a store: each trouble at each operation of a life that it may befall, in random order, then those of another life. @throws Violation */
export async function checkIoErrors(seed: number, count: number, mutant?: ErrorMutant): Promise<number> {
  let injectedCount = 0;
  for (let life = seed; injectedCount < count; life += 1) {
    const kinds = await operationKinds(life);
    const befalling = troubles.filter(({ name }) => mutant === undefined || name.includes(mutant.trouble));
    const cases = befalling.flatMap((trouble) => kinds.flatMap((kind, at) => (trouble.kinds.includes(kind) ? [{ trouble, at }] : [])));
    for (const { trouble, at } of seededRandom(life).shuffled(cases).slice(0, count - injectedCount)) {
      await ioErrorCase(life, at, trouble, mutant?.wrap);
      injectedCount += 1;
    }
  }
  return injectedCount;
}

/** What a life does on a disk that never fails, operation by operation: up to an injection, one that fails does the same. */
async function operationKinds(seed: number): Promise<DiskOperation["kind"][]> {
  const kinds: DiskOperation["kind"][] = [];
  const faults: Faults = ({ kind }) => (kinds.push(kind), null);
  const life = new Life(newFate(), 1, undefined, undefined, { random: seededRandom(seed), faults, isInterleaved: true });
  await life.open();
  await live(life, seed);
  return kinds;
}

/** Crashes between the failure and the end that are looked at, beside one at the end. */
const EARLIER_IMAGE_COUNT = 3;

/** One life on a disk that fails at operation `at`, crashes, and openings on a disk that is well again. @throws Violation */
export async function ioErrorCase(seed: number, at: number, trouble: Trouble, wrap?: Fate["wrap"]): Promise<void> {
  const random = seededRandom(seed);
  const story = [`DAYBOOK_SEED=${seed}, operation ${at}: ${trouble.name}`];
  let isWell = false;
  let momentsBefore = 0;
  const faults: Faults = ({ kind, path }, index) => {
    if (index === at) {
      story.push(`it is a ${kind} of ${path}`);
      momentsBefore = life.moments.length;
    }
    if (isWell || index < at || !trouble.kinds.includes(kind)) return null;
    return index === at || trouble.isPersistent ? trouble.fault : null;
  };
  const failed = (error: unknown) => {
    const wrong = insane(error);
    if (wrong !== null) throw new Violation(wrong, story, error);
    story.push(error instanceof Error ? error.message : "");
  };
  const life = new Life(newFate("disk", wrap), 1, undefined, undefined, { random, faults, failed, isInterleaved: true });
  life.record();
  const isOpen = await life.open().then(() => true, (error: unknown) => (failed(error), false));
  if (isOpen) await live(life, seed);
  isWell = true;
  if (isOpen) await checkWell(life, trouble, story, random);
  if (isOpen && random.chance(0.3)) await life.close().catch(failed);
  const choice = seededRandom(seed * 1_009 + at);
  const moments = life.moments.slice(Math.max(0, momentsBefore - 1));
  await checkAfter(life, moments.at(-1), story, choice);
  for (let image = 0; image < EARLIER_IMAGE_COUNT; image += 1) await checkAfter(life, randomMoment(moments, choice), story, choice);
}

/** Several writers, seals that they overtake, the whole of an erasure; in every other life days are compacted, too. */
async function live({ actor }: Life, seed: number): Promise<void> {
  const write = async () => {
    await actor.ingest(2);
    await actor.act();
  };
  const ask = async () => {
    await actor.ingest(1, true);
    await actor.identify();
    await actor.stepRequest();
  };
  const writeAndSeal = () => Promise.all([actor.ingest(2), actor.seal(), actor.ingest(1)]);
  await Promise.all([write(), write(), ask()]);
  for (let step = 2; step <= 4; step += 1) await Promise.all([actor.stepRequest(), actor.ingest(1)]);
  await actor.alias();
  for (let round = seed % 2 === 0 ? 4 : 0; round < 5; round += 1) await writeAndSeal();
  await actor.ingest(1);
}

/** The disk is well: everything that was answered for is shown, and writing works, or says that the store must be opened anew. */
async function checkWell(life: Life, { kinds, fault }: Trouble, story: string[], random: Random): Promise<void> {
  const { daybook, keeper, fate } = life;
  const observed = await observe(daybook);
  const wrong = violation(observed, keeper.ledger, fate.world);
  if (wrong !== null) throw new Violation(`while it runs: ${wrong}`, story);
  const answeredCount = keeper.ledger.answered.length;
  const isPoisoned = daybook.health === "read_only";
  story.push(isPoisoned ? "the store is read-only" : "the store takes writes");
  const isFull = "errno" in fault && fault.errno === "ENOSPC" && !kinds.includes("sync");
  if (isPoisoned && isFull) throw new Violation("the store does not take writes again though there is space", story);
  const outcome = await daybook.seal().then(() => "ok", (error: unknown) => (error instanceof DaybookError ? error.code : String(error)));
  if (outcome !== (isPoisoned ? "read_only" : "ok")) throw new Violation(`a seal on a well disk: ${outcome}`, story);
  await life.actor.ingest(random.between(1, 3));
  if (keeper.ledger.answered.length !== answeredCount + (isPoisoned ? 0 : 1)) throw new Violation(isPoisoned ? "a write was taken after a failed sync" : "no write is taken though the disk is well", story);
}

/** A crash at a moment after the disk failed, and an opening; where it was a kill, some writing, a loss of power, and another opening. */
async function checkAfter(life: Life, moment: Moment | undefined, before: readonly string[], random: Random): Promise<void> {
  if (moment === undefined) throw new Error("no moment was recorded");
  const isKill = random.chance(0.4);
  const story = [...before];
  story.push(`${isKill ? "it is killed" : "power is lost"} after ${moment.operation}`);
  const { state, ledger } = moment;
  const second = new Life(life.fate, 2, isKill ? state : powerLoss(state, random), isKill ? ledger : afterPowerLoss(ledger), { random });
  await survive(second, story);
  if (!isKill) return;
  story.push("it is opened, written to, and power is lost");
  await second.actor.ingest(1);
  await survive(new Life(life.fate, 3, powerLoss(second.disk.state(), random), second.keeper.ledger, { random }), story);
}

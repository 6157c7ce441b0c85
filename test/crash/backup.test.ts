import { DaybookError, type Daybook, fixedClock, openDaybook, verifyStore } from "daybook";
import { fileStorage } from "daybook/node";
import { type DiskState, type Fault, SimulatedDisk, SimulatedFileSystem, failOnce, powerLoss, seededRandom, simulatedProcess } from "daybook/testing";
import { expect, test } from "vitest";
import { backupStore, type BackupReport } from "../../src/store/backup/backup-store.js";
import { MANIFEST_KEY, decodeManifest } from "../../src/store/files/manifest.js";
import { baseSeed, nowMs, strideOf } from "../oracle/settings.js";
import { type Observed, observe } from "./observe.js";

const SOURCE = "/data/store";
const TARGET = "/data/backup";
const clock = fixedClock(nowMs);
/** Operations of a backup of which the default suite tries one. */
const STRIDE = strideOf(26, 1);
let processCount = 0;

/** A storage of a process of its own: those before it have ended. */
function storageOn(disk: SimulatedDisk, path: string, fault: ConstructorParameters<typeof SimulatedFileSystem>[1] = {}) {
  processCount += 1;
  const fileSystem = new SimulatedFileSystem(disk, fault);
  return { fileSystem, storage: fileStorage(path, { fileSystem, processes: simulatedProcess(processCount) }) };
}

function backUp(disk: SimulatedDisk): Promise<BackupReport> {
  return backupStore(storageOn(disk, SOURCE).storage, storageOn(disk, TARGET).storage, { takenMs: nowMs });
}

async function ingest(daybook: Daybook, round: number, count: number): Promise<void> {
  await daybook.ingest(Array.from({ length: count }, (_, at) => ({ id: `${round}-${at}`, name: `n${round}`, userId: `u${at}`, createdAt: nowMs - at * 40_000_000 })));
}

async function erase(daybook: Daybook, userId: string): Promise<void> {
  const { id } = await daybook.privacyRequests.create({ type: "erasure", subject: { userId } });
  await daybook.privacyRequests.verify(id);
  await daybook.privacyRequests.acknowledge(id);
  await daybook.privacyRequests.resolve(id, "completed");
}

/** What a store shows; null where there is no manifest. */
async function shownBy(disk: SimulatedDisk, path: string): Promise<Observed | null> {
  try {
    const daybook = await openDaybook({ storage: storageOn(disk, path).storage, clock, readOnly: true });
    return await observe(daybook);
  } catch (error) {
    if (error instanceof DaybookError && error.code === "manifest_missing") return null;
    throw error;
  }
}

/** Every file below a directory of a disk, as it is. */
function filesBelow({ files, directories }: DiskState, path: string): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const visit = (node: number, at: string): void => {
    const names = directories.get(node)?.current;
    if (names === undefined) found.set(at, files.get(node));
    else for (const [name, child] of names) visit(child, `${at}/${name}`);
  };
  let node = 0;
  for (const name of path.slice(1).split("/")) node = directories.get(node)?.current.get(name) ?? -1;
  visit(node, path);
  return found;
}

/** A disk with an open store, and a backup of an earlier moment, or none. */
async function prepared(hasFormer: boolean) {
  const disk = new SimulatedDisk();
  const daybook = await openDaybook({ storage: storageOn(disk, SOURCE).storage, clock });
  await ingest(daybook, 0, 5);
  await daybook.identify({ userId: "u1", email: "u1@example.org" });
  await daybook.seal();
  await ingest(daybook, 1, 3);
  if (hasFormer) {
    await backUp(disk);
    for (let round = 2; round < 7; round += 1) {
      await ingest(daybook, round, 4);
      await daybook.seal();
    }
    await erase(daybook, "u4");
    await ingest(daybook, 7, 2);
  }
  const former = hasFormer ? await shownBy(disk, TARGET) : null;
  const source = await shownBy(disk, SOURCE);
  if (source === null) throw new Error("there is no store");
  return { disk, former, source };
}

interface Expected {
  readonly former: Observed | null;
  readonly source: Observed;
}

/** The place holds the former moment or more of what the source has, all of it where it says so; and it can be gone on with. */
async function expectUsable(state: DiskState, { former, source }: Expected, place: string): Promise<"none" | "former" | "part" | "whole"> {
  const disk = new SimulatedDisk(state);
  const found = await shownBy(disk, TARGET);
  if (found === null) expect(former, place).toBeNull();
  else {
    const { storage } = storageOn(disk, TARGET);
    expect((await verifyStore(storage)).findings, place).toEqual([]);
    const isWhole = decodeManifest((await storage.read(MANIFEST_KEY)) ?? new Uint8Array()).clean;
    if (isWhole) expect([former?.text, source.text], place).toContain(found.text);
    const lost = [...(former?.events ?? [])].filter(([id]) => !found.events.has(id));
    expect(lost.filter(([id]) => source.events.has(id)), place).toEqual([]);
    for (const [id, text] of found.events) expect([source.events.get(id), former?.events.get(id)], place).toContain(text);
  }
  await backUp(disk);
  expect((await shownBy(disk, TARGET))?.text, place).toBe(source.text);
  const { findings, notes } = await verifyStore(storageOn(disk, TARGET).storage);
  expect([findings, notes], place).toEqual([[], []]);
  return found === null ? "none" : found.text === source.text ? "whole" : found.text === former?.text ? "former" : "part";
}

test.each([false, true])(`A backup that ends at any operation, by kill or loss of power, leaves the source as it was and a place to go on with (a former one: %s, seed ${baseSeed})`, async (hasFormer) => {
  const { disk, ...expected } = await prepared(hasFormer);
  const random = seededRandom(baseSeed);
  const before = filesBelow(disk.state(), SOURCE);
  const moments: { readonly state: DiskState; readonly operation: string }[] = [];
  disk.changed = ({ kind, path }) => moments.push({ state: disk.state(), operation: `${kind} ${path}` });
  await backUp(disk);
  expect(moments.length).toBeGreaterThan(40);
  const outcomes = new Set<string>();
  for (const [at, { state, operation }] of moments.entries()) {
    expect(filesBelow(state, SOURCE), operation).toEqual(before);
    // Those that decide are tried always.
    if (at % STRIDE !== baseSeed % STRIDE && !/rename .*\/(?:MANIFEST|journal)/.test(operation)) continue;
    outcomes.add(await expectUsable(state, expected, `killed after ${operation}`));
    outcomes.add(await expectUsable(powerLoss(state, random), expected, `power lost after ${operation}`));
  }
  expect([...outcomes].sort()).toEqual(hasFormer ? ["former", "part", "whole"] : ["none", "whole"]);
});

test.each<[name: string, fault: Fault]>([["EIO", { errno: "EIO" }], ["ENOSPC", { errno: "ENOSPC" }]])(
  "A backup whose place fails at any operation with %s says so, leaves the source as it was, and can be taken again",
  async (name, fault) => {
    const { disk, ...expected } = await prepared(true);
    const initial = disk.state();
    const before = filesBelow(initial, SOURCE);
    let failedCount = 0;
    for (let at = baseSeed % STRIDE; ; at += STRIDE) {
      const failing = new SimulatedDisk(initial);
      const { storage: target, fileSystem } = storageOn(failing, TARGET, { faults: failOnce(at, fault) });
      const outcome = await backupStore(storageOn(failing, SOURCE).storage, target, { takenMs: nowMs }).catch((error: unknown) => error);
      if (outcome instanceof Error) {
        failedCount += 1;
        expect(outcome, `${name} at ${at}`).toBeInstanceOf(DaybookError);
      }
      expect(filesBelow(failing.state(), SOURCE)).toEqual(before);
      await expectUsable(failing.state(), expected, `${name} at ${at}`);
      if (fileSystem.operationCount <= at) break;
    }
    expect(failedCount).toBeGreaterThan(100 / STRIDE);
  },
);

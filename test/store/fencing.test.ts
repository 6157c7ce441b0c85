import { mkdtemp, readdir, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixedClock, openDaybook, verifyStore, type Daybook } from "daybook";
import { fileStorage } from "daybook/node";
import { expect, onTestFinished, test } from "vitest";
import { kernelFileSystem } from "../../src/platform/node/kernel-file-system.js";
import { machineProcesses, type ProcessTable } from "../../src/platform/node/process-table.js";
import { RecordingStorage } from "./recording-storage.js";

const clock = fixedClock(1_000_000);
const event = (id: string) => ({ id, name: id, userId: id, createdAt: new Date(5) });

/** Processes that take ours for ended, as it stood still for long. */
function laterProcesses(): ProcessTable {
  const { current } = machineProcesses();
  const pid = current.pid + 1;
  return { current: { ...current, pid }, stateOf: (other) => (other.pid === pid ? "running" : "ended") };
}

async function emptyDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "daybook-fence-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const namesOf = async (daybook: Daybook) => (await daybook.searchEvents({})).events.map(({ name }) => name).sort();

test("A writer whose lock was taken over acknowledges nothing more, and all it acknowledged is there.", async () => {
  const directory = await emptyDirectory();
  const first = await openDaybook({ storage: fileStorage(directory), clock });
  await first.ingest([event("a")]);
  const second = await openDaybook({ storage: fileStorage(directory, { processes: laterProcesses() }), clock });
  await expect(first.ingest([event("b")])).rejects.toMatchObject({ code: "store_locked" });
  expect(first.health).toBe("read_only");
  await expect(first.ingest([event("c")])).rejects.toMatchObject({ code: "store_locked" });
  await expect(first.seal()).rejects.toMatchObject({ code: "store_locked" });
  expect(await namesOf(first)).toEqual(["a"]);
  await second.ingest([event("d")]);
  await first.close();
  await second.seal();
  expect((await readdir(directory)).filter((name) => name.startsWith("LOCK"))).toHaveLength(1);
  expect(await namesOf(second)).toEqual(["a", "d"]);
  await second.close();
  expect((await verifyStore(fileStorage(directory))).findings).toEqual([]);
});

test("A lock file that lost its content still keeps others out; one that is gone ends the writer, not the store.", async () => {
  const directory = await emptyDirectory();
  const first = await openDaybook({ storage: fileStorage(directory), clock });
  await first.ingest([event("a")]);
  const [lockFile = ""] = (await readdir(directory)).filter((name) => name.startsWith("LOCK"));
  await truncate(join(directory, lockFile));
  await expect(openDaybook({ storage: fileStorage(directory), clock })).rejects.toMatchObject({ code: "store_locked" });
  await first.ingest([event("still")]);
  await rm(join(directory, lockFile));
  const second = await openDaybook({ storage: fileStorage(directory), clock });
  await expect(first.ingest([event("b")])).rejects.toMatchObject({ code: "store_locked" });
  expect(await namesOf(second)).toEqual(["a", "still"]);
  await first.close();
  await second.close();
});

test("A file that is written but not named yet never gets its name once the lock was taken over, at whatever moment its writer stands still.", async () => {
  const directory = await emptyDirectory();
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  let stand: () => void = () => undefined;
  const stands = new Promise<void>((resolve) => (stand = resolve));
  const rename = async (from: string, to: string) => {
    stand();
    await gate;
    await kernelFileSystem.rename(from, to);
  };
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  const first = fileStorage(directory, { fileSystem: { ...kernelFileSystem, rename } });
  await first.lock();
  const writing = first.write("tokens.json", bytesOf("of the first"));
  await stands;
  const second = fileStorage(directory, { processes: laterProcesses() });
  await second.lock();
  await second.write("tokens.json", bytesOf("of the second"));
  goOn();
  await expect(writing).rejects.toMatchObject({ code: "store_locked" });
  for (const late of [() => first.write("other", bytesOf("x")), () => first.remove("tokens.json"), () => first.openAppend("journal/1")])
    await expect(late()).rejects.toMatchObject({ code: "store_locked" });
  expect(new TextDecoder().decode((await second.read("tokens.json")) ?? undefined)).toBe("of the second");
});

test("A writer never gives a file the name of one that another writer made and may still remove: numbers go on above all there are.", async () => {
  const storage = new RecordingStorage();
  await (await openDaybook({ storage, clock })).close();
  // As a seal leaves it that never came to name it.
  await storage.write("segments/0000000070", new Uint8Array([1]));
  const daybook = await openDaybook({ storage, clock });
  await daybook.ingest([event("a")]);
  await daybook.close();
  const segments = [...storage.objects.keys()].filter((key) => key.startsWith("segments/"));
  expect(segments).toHaveLength(1);
  expect(Number(segments[0]?.slice("segments/".length))).toBeGreaterThan(70);
});

test("Without a lock, the epoch keeps a writer from replacing the manifest of a later one, and from removing its files.", async () => {
  const acts: ((daybook: Daybook) => Promise<unknown>)[] = [
    (daybook) => daybook.seal(),
    (daybook) => daybook.close(),
    (daybook) => daybook.privacyRequests.create({ type: "access", subject: { userId: "a" } }),
  ];
  for (const act of acts) {
    const storage = new RecordingStorage();
    const first = await openDaybook({ storage, clock });
    await first.ingest([event("a")]);
    const second = await openDaybook({ storage, clock });
    await second.ingest([event("b")]);
    await second.seal();
    const manifest = storage.objects.get("MANIFEST");
    const files = [...storage.objects.keys()].filter((key) => key !== "MANIFEST" && !key.startsWith("journal/"));
    await expect(act(first)).rejects.toMatchObject({ code: "store_locked" });
    expect(storage.objects.get("MANIFEST")).toEqual(manifest);
    expect([...storage.objects.keys()]).toEqual(expect.arrayContaining(files));
    expect(await namesOf(second)).toEqual(["a", "b"]);
  }
});

test("An erasure that waits for a slow reader removes nothing once the store is somebody else's.", async () => {
  const storage = new RecordingStorage();
  const first = await openDaybook({ storage, clock });
  await first.ingest([event("a"), event("b")]);
  await first.seal();
  const { id } = await first.privacyRequests.create({ type: "erasure", subject: { userId: "a" } });
  await first.privacyRequests.verify(id);
  await first.privacyRequests.acknowledge(id);
  const reader = first.exportEvents()[Symbol.asyncIterator]();
  await reader.next();
  const erasing = first.privacyRequests.resolve(id, "completed");
  // A seal replaces the manifest first, then the erasure does.
  let manifestCount = 0;
  await new Promise<void>((resolve) => {
    storage.recorded = ({ operation }) => {
      if (operation === "write MANIFEST") manifestCount += 1;
      if (manifestCount === 2) resolve();
    };
  });
  const second = await openDaybook({ storage, clock });
  await second.ingest([event("c")]);
  await second.seal();
  await reader.return?.(undefined);
  await expect(erasing).rejects.toMatchObject({ code: "store_locked" });
  expect(await namesOf(second)).toEqual(["b", "c"]);
  await second.close();
  expect((await verifyStore(storage)).findings).toEqual([]);
});

import { DaybookError, fixedClock, openDaybook } from "daybook";
import { describe, expect, test } from "vitest";
import { JOURNAL_HEADER_BYTES } from "../../src/store/journal/journal.js";
import { decodeManifest, encodeManifest } from "../../src/store/files/manifest.js";
import type { Objects } from "./objects.js";
import { withObject } from "./objects.js";
import { RecordingStorage } from "./recording-storage.js";

const clock = fixedClock(1_000_000);
const event = (id: string) => ({ id, name: id, createdAt: new Date(5) });

async function codeOf(objects: Objects): Promise<string> {
  try {
    await openDaybook({ storage: new RecordingStorage(objects), clock });
  } catch (error) {
    return error instanceof DaybookError ? error.code : `foreign ${String(error)}`;
  }
  return "opens";
}

async function countOf(objects: Objects): Promise<number> {
  return await (await openDaybook({ storage: new RecordingStorage(objects), clock })).countEvents();
}

/** A store that died twice: a journal with rows a and b, one with c and d. */
async function diedTwice(): Promise<{ readonly objects: Objects; readonly journals: readonly string[] }> {
  const storage = new RecordingStorage();
  for (const [first, second] of [["a", "b"], ["c", "d"]] as const) {
    const daybook = await openDaybook({ storage, clock });
    await daybook.ingest([event(first)]);
    await daybook.ingest([event(second)]);
  }
  return { objects: storage.objects, journals: [...storage.objects.keys()].filter((key) => key.startsWith("journal/")) };
}

describe("opening a store that was not closed", () => {
  test("replays all its journals", async () => {
    const { objects, journals } = await diedTwice();
    expect(journals).toHaveLength(2);
    expect(await countOf(objects)).toBe(4);
  });

  test("loses no more than the torn end of the last journal", async () => {
    const { objects, journals } = await diedTwice();
    const [, last = ""] = journals;
    const bytes = objects.get(last) ?? new Uint8Array(0);
    const counts = new Set<number>();
    for (let end = 0; end <= bytes.length; end += 1) counts.add(await countOf(withObject(objects, last, bytes.subarray(0, end))));
    expect([...counts]).toEqual([2, 3, 4]);
  });

  test("reports rows that are missing between journals", async () => {
    const { objects, journals } = await diedTwice();
    const [first = ""] = journals;
    const bytes = objects.get(first) ?? new Uint8Array(0);
    for (const end of [0, JOURNAL_HEADER_BYTES, JOURNAL_HEADER_BYTES + 9, bytes.length - 1])
      expect(await codeOf(withObject(objects, first, bytes.subarray(0, end))), `cut at ${end}`).toBe("corruption");
    expect(await codeOf(withObject(objects, first, null))).toBe("corruption");
  });

  test("writes anew what it read of journals, torn ends cut off, before anything rests on it", async () => {
    const { objects, journals } = await diedTwice();
    const [first = "", last = ""] = journals;
    const whole = objects.get(last) ?? new Uint8Array(0);
    const header = whole.slice(0, JOURNAL_HEADER_BYTES);
    const damaged = withObject(objects, last, Uint8Array.from([...whole, 1, 2, 3]));
    const storage = new RecordingStorage(withObject(damaged, "journal/0000000099", header));
    await openDaybook({ storage, clock });
    expect(storage.operations.slice(0, 3)).toEqual([`write ${first}`, `write ${last}`, "write journal/0000000099"]);
    const written = storage.states.find(({ operation }) => operation === `write ${last}`)?.objects;
    expect([written?.get(first), written?.get(last)]).toEqual([objects.get(first), whole]);
  });

  test("writes nothing of a journal anew when the store was closed, is opened by a reader, or turns out to be damaged", async () => {
    const { objects, journals } = await diedTwice();
    const [first = ""] = journals;
    const damaged = new RecordingStorage(withObject(objects, first, Uint8Array.of(1)));
    await expect(openDaybook({ storage: damaged, clock })).rejects.toMatchObject({ code: "corruption" });
    const beside = new RecordingStorage(objects);
    await openDaybook({ storage: beside, clock, readOnly: true });
    const closed = new RecordingStorage(objects);
    await (await openDaybook({ storage: closed, clock })).close();
    const again = new RecordingStorage(closed.objects);
    await openDaybook({ storage: again, clock });
    const written = [damaged, beside, again].flatMap(({ operations }) => operations.filter((operation) => operation.startsWith("write journal/")));
    expect(written).toEqual([]);
  });

  test("removes files that no manifest names", async () => {
    const { objects } = await diedTwice();
    const orphans = ["segments/0000000099", "dictionaries/0000000098"];
    const storage = new RecordingStorage(orphans.reduce((all, key) => withObject(all, key, Uint8Array.of(1)), objects));
    await openDaybook({ storage, clock });
    expect(orphans.filter((key) => storage.objects.has(key))).toEqual([]);
  });
});

describe("opening files without a manifest", () => {
  test("makes a new store where there is nothing, or no more than a first opening leaves that died", async () => {
    expect(await codeOf(new Map())).toBe("opens");
    const storage = new RecordingStorage();
    await openDaybook({ storage, clock });
    const early = storage.states.filter(({ objects }) => !objects.has("MANIFEST") && objects.size > 0);
    expect(early.map(({ operation }) => operation)).toEqual(["open journal/0000000001", "torn append journal/0000000001", "append journal/0000000001"]);
    for (const { objects } of early) expect(await codeOf(objects)).toBe("opens");
  });

  test("is refused where there are events, or were", async () => {
    const { objects } = await diedTwice();
    expect(await codeOf(withObject(objects, "MANIFEST", null))).toBe("manifest_missing");
    const closed = new RecordingStorage();
    const daybook = await openDaybook({ storage: closed, clock });
    await daybook.close();
    expect(await codeOf(withObject(closed.objects, "MANIFEST", null))).toBe("manifest_missing");
    for (const key of ["segments/0000000001", "dictionaries/0000000001"])
      expect(await codeOf(new Map([[key, Uint8Array.of(1)]]))).toBe("manifest_missing");
  });
});

describe("closing and opening again", () => {
  test("counts each opening for writing as an epoch, and says whether it was closed", async () => {
    const storage = new RecordingStorage();
    const stateOf = () => JSON.parse(new TextDecoder().decode(storage.objects.get("MANIFEST")).split("\n")[0] ?? "") as { epoch: number; clean: boolean };
    for (let epoch = 1; epoch <= 3; epoch += 1) {
      const daybook = await openDaybook({ storage, clock });
      expect(stateOf()).toMatchObject({ epoch, clean: false });
      await daybook.close();
      expect(stateOf()).toMatchObject({ epoch, clean: true });
    }
  });

  test("leaves one journal behind, with nothing but an end mark", async () => {
    const storage = new RecordingStorage();
    for (const id of ["a", "b", "c"]) {
      const daybook = await openDaybook({ storage, clock });
      await daybook.ingest([event(id)]);
      await daybook.close();
    }
    const journals = [...storage.objects].filter(([key]) => key.startsWith("journal/"));
    expect(journals.map(([, bytes]) => bytes.length)).toEqual([52]);
  });
});

test("A reader beside a writer that never stands still gives up instead of showing a moment that never was.", async () => {
  const { objects } = await diedTwice();
  const storage = new RecordingStorage(objects);
  let epoch = 10;
  storage.before = (operation) => {
    if (operation !== "read MANIFEST") return;
    epoch += 1;
    void storage.write("MANIFEST", encodeManifest({ ...decodeManifest(storage.objects.get("MANIFEST") ?? new Uint8Array(0)), epoch }));
  };
  await expect(openDaybook({ storage, clock, readOnly: true })).rejects.toMatchObject({ code: "overloaded" });
  storage.before = () => undefined;
  expect(await (await openDaybook({ storage, clock, readOnly: true })).countEvents()).toBe(4);
});

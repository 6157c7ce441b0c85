import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openDaybook, verifyStore } from "daybook";
import { fileStorage } from "daybook/node";
import { describe, expect, test } from "vitest";
import { emptyDirectory } from "../cli/run.js";
import { directoryState } from "../directory-state.js";

async function storeIn(directory: string): Promise<void> {
  const daybook = await openDaybook({ storage: fileStorage(directory) });
  await daybook.ingest([{ id: "1", name: "a", createdAt: "2026-03-01T00:00:00Z" }]);
  await daybook.close();
}

/** A directory of organizations of these names. */
async function organizations(...names: readonly string[]): Promise<string> {
  const directory = await emptyDirectory();
  for (const name of names) await storeIn(join(directory, name));
  return directory;
}

describe("a directory of organizations is no store:", () => {
  const REFUSAL = /^storage: expected a store or an empty location, got a directory of organizations, each with its own store: default, shop; open one of them, for example with fileStorage\("DIRECTORY\/default"\)$/;

  test.each([
    ["for writing", {}],
    ["for reading", { readOnly: true }],
    ["for salvage", { onCorruption: "quarantine" }],
  ] as const)("opening it %s is refused by the names of the organizations, and not a byte is written", async (_, options) => {
    const directory = await organizations("shop", "default");
    const before = await directoryState(directory);
    const opening = openDaybook({ storage: fileStorage(directory), ...options });
    await expect(opening).rejects.toMatchObject({ code: "invalid_parameter", message: expect.stringMatching(REFUSAL) });
    expect(await directoryState(directory)).toEqual(before);
  });

  test("verifyStore refuses it instead of calling it damaged", async () => {
    const storage = fileStorage(await organizations("shop", "default"));
    await expect(verifyStore(storage)).rejects.toMatchObject({ code: "invalid_parameter", message: expect.stringMatching(REFUSAL) });
  });

  test.each(["journal", "segments", "dictionaries", "identities", "quarantine"])("also when an organization is called %s", async (name) => {
    const directory = await organizations(name);
    await expect(openDaybook({ storage: fileStorage(directory) })).rejects.toThrow(`each with its own store: ${name};`);
    expect(await (await openDaybook({ storage: fileStorage(join(directory, name)) })).countEvents()).toBe(1);
  });

  test("also when the manifests of all organizations are gone", async () => {
    const directory = await organizations("shop");
    await rm(join(directory, "shop", "MANIFEST"));
    await expect(openDaybook({ storage: fileStorage(directory) })).rejects.toThrow("each with its own store: shop;");
  });
});

describe("a store stays one", () => {
  test("with a store inside, which an older program may have made there", async () => {
    const directory = await organizations("default");
    const inner = join(directory, "default");
    await storeIn(join(inner, "default"));
    expect(await (await openDaybook({ storage: fileStorage(inner), readOnly: true })).countEvents()).toBe(1);
    expect((await verifyStore(fileStorage(inner))).findings).toEqual([]);
  });

  test("without its manifest: manifest_missing, and no file is left", async () => {
    const directory = join(await organizations("one"), "one");
    await storeIn(join(directory, "inner"));
    await rm(join(directory, "MANIFEST"));
    const before = Object.keys(await directoryState(directory));
    await expect(openDaybook({ storage: fileStorage(directory) })).rejects.toMatchObject({ code: "manifest_missing" });
    expect(Object.keys(await directoryState(directory))).toEqual(before);
    expect((await verifyStore(fileStorage(directory))).findings[0]?.expected).toBe("a manifest next to the other files");
  });

  test("among files of others, also folders with a MANIFEST that is none of ours", async () => {
    const directory = await emptyDirectory();
    await mkdir(join(directory, "perl"));
    await writeFile(join(directory, "perl", "MANIFEST"), "Makefile.PL\n");
    await storeIn(directory);
    expect(await (await openDaybook({ storage: fileStorage(directory) })).countEvents()).toBe(1);
  });
});

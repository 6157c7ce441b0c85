import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { saltFile } from "../../../src/platform/node/index.js";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "daybook-salts-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

test("a file of salts is for its owner alone, and is overwritten where it stands", async () => {
  const path = join(directory, "visitor-salts");
  const file = saltFile(path);
  expect(await file.read()).toBeNull();
  await file.keep(Uint8Array.of(1, 2, 3, 4));
  const { ino, mode } = await stat(path);
  expect(mode & 0o777).toBe(0o600);
  await file.keep(Uint8Array.of(5, 6));
  expect([...(await readFile(path))]).toEqual([5, 6]);
  expect([...((await file.read()) ?? [])]).toEqual([5, 6]);
  expect((await stat(path)).ino).toBe(ino);
});

test("a file that others could read is theirs no longer", async () => {
  const path = join(directory, "visitor-salts");
  await writeFile(path, "old", { mode: 0o644 });
  await saltFile(path).keep(Uint8Array.of(1));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decodeManifest } from "../../src/store/files/manifest.js";
import { flipped } from "../format/damage-kit.js";
import { daybookHere } from "./run-here.js";
import { daybook, emptyDirectory } from "./run.js";

async function importedData(): Promise<string> {
  const directory = await emptyDirectory();
  await writeFile(join(directory, "a.ndjson"), Array.from({ length: 50 }, (_, at) => `{"id":"${at}","name":"view","url":"/${at % 7}","createdAt":"2026-03-01T08:00:00Z"}\n`).join(""));
  const data = join(directory, "data");
  expect((await daybookHere(["import", "--data", data, join(directory, "a.ndjson")])).code).toBe(0);
  expect((await daybookHere(["token", "create", "--data", data, "--role", "viewer", "--scopes", "*"])).code).toBe(0);
  return data;
}

test("daybook verify says that data is whole, and names what is not, with exit 0 and 1", async () => {
  const data = await importedData();
  const whole = await daybook(["verify", "--data", data]);
  expect([whole.code, whole.stderr]).toEqual([0, ""]);
  expect(whole.stdout).toMatch(/^tokens\.json: intact: 1 token\ndefault: intact: 50 events of 1 day, 0 records; read \d files, [\d.]+ kB at \d+ MB\/s\n$/);

  const manifest = decodeManifest(await readFile(join(data, "default", "MANIFEST")));
  const key = manifest.segments[0]?.key ?? "";
  const path = join(data, "default", key);
  await writeFile(path, flipped(await readFile(path), 9, 4));
  const tokens = join(data, "tokens.json");
  await writeFile(tokens, (await readFile(tokens, "utf8")).replace('"viewer"', '"member"'));
  const damaged = await daybook(["verify", "--data", data, "--organization", "default"]);
  expect(damaged.code).toBe(1);
  expect(damaged.stderr).toMatch(/^daybook verify: \S+: \d findings\n$/);
  expect(damaged.stdout).toContain(`default/${key}: expected the CRC-32 `);
  expect(damaged.stdout).toContain("default: damaged: ");
  expect(damaged.stdout).toMatch(/tokens\.json: the checksum of token 1 is wrong\n/);
});

test("daybook verify --salvage sets damaged files aside, says what was lost, and leaves a store that is whole", async () => {
  const data = await importedData();
  const manifest = decodeManifest(await readFile(join(data, "default", "MANIFEST")));
  const key = manifest.segments[0]?.key ?? "";
  const path = join(data, "default", key);
  const damaged = flipped(await readFile(path), 9, 4);
  await writeFile(path, damaged);
  const { code, stdout, stderr } = await daybookHere(["verify", "--data", data, "--salvage"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(new RegExp(`^default/${key}: moved to quarantine \\(\\d+.*\\): expected the SHA-256`, "m"));
  expect(stdout).toContain(`default/${key}: lost 50 events of 2026-03-01\n`);
  expect(stdout).toContain("default: intact: 0 events");
  expect(new Uint8Array(await readFile(join(data, "default", "quarantine", key)))).toEqual(new Uint8Array(damaged));
  expect((await daybookHere(["stats", "--data", data])).stdout).toContain("default: 1 damaged file in quarantine, 50 events lost\n");
  const again = await daybookHere(["verify", "--data", data, "--salvage"]);
  expect([again.code, again.stdout.includes("moved to quarantine")]).toEqual([0, false]);
});

test("daybook verify names a directory that is not there, or holds nothing", async () => {
  const directory = await emptyDirectory();
  const absent = await daybookHere(["verify", "--data", join(directory, "none")]);
  expect([absent.code, absent.stderr]).toEqual([1, `daybook verify: ${directory}/none: no such directory\n`]);
  const empty = await daybookHere(["verify", "--data", directory]);
  expect([empty.code, empty.stderr]).toEqual([1, `daybook verify: ${directory}: there is no organization here\n`]);
  const usage = await daybookHere(["verify"]);
  expect([usage.code, usage.stderr]).toEqual([2, "daybook verify: --data is required (see daybook verify --help)\n"]);
});

import { cp, link as hardLink, lstat, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { openDaybook, verifyStore } from "daybook";
import { fileStorage } from "daybook/node";
import { describe, expect, test } from "vitest";
import { decodeManifest, encodeManifest } from "../../src/store/files/manifest.js";
import { directoryState } from "../directory-state.js";
import { longTest } from "../long-test.js";
import { CLI } from "../program-names.js";
import { daybookHere } from "./run-here.js";
import { daybook, emptyDirectory, startProgram } from "./run.js";

async function ingest(directory: string, ids: readonly string[]): Promise<void> {
  const store = await openDaybook({ storage: fileStorage(directory) });
  await store.ingest(ids.map((id) => ({ id, name: id, userId: `user ${id}` })));
  await store.close();
}

/** Two organizations, tokens, and what visitors are hashed under. */
async function dataDirectory(): Promise<{ root: string; data: string }> {
  const root = await emptyDirectory();
  const data = join(root, "data");
  await ingest(join(data, "acme"), ["a", "b"]);
  await ingest(join(data, "beta"), ["c"]);
  expect((await daybookHere(["token", "create", "--data", data, "--role", "viewer", "--scopes", "*"])).code).toBe(0);
  await writeFile(join(data, "visitor-salts"), "salt");
  return { root, data };
}

async function namesIn(directory: string): Promise<string[]> {
  const store = await openDaybook({ storage: fileStorage(directory), readOnly: true });
  const names: string[] = [];
  for await (const { name } of store.exportEvents()) names.push(name);
  return names.sort();
}

/** Modes of everything below a directory, itself too, by kind. */
async function modesOf(directory: string): Promise<Set<string>> {
  const modes = new Set([`d${((await lstat(directory)).mode & 0o777).toString(8)}`]);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
    modes.add(`${entry.isDirectory() ? "d" : "f"}${((await lstat(join(entry.parentPath, entry.name))).mode & 0o777).toString(8)}`);
  return modes;
}

describe("daybook backup", () => {
  test("copies every organization beside its writer, as private as the store; restore makes a data directory of it", async () => {
    const { root, data } = await dataDirectory();
    const [out, again] = [join(root, "backups", "daily"), join(root, "again")];
    const writer = await openDaybook({ storage: fileStorage(join(data, "acme")) });
    await writer.ingest([{ id: "d", name: "d" }]);
    const before = await directoryState(data);
    const run = await daybookHere(["backup", "--data", data, "--out", out]);
    expect([run.code, run.stderr]).toEqual([0, ""]);
    expect(run.stdout).toMatch(/^acme: complete up to sequence 3: \d files, \S+ kB; copied \d, \S+ \S?B; removed 0 in \S+ m?s\nbeta: complete up to sequence 1: .*\n$/);
    expect(await directoryState(data)).toEqual(before);
    expect(await modesOf(join(root, "backups"))).toEqual(new Set(["d700", "f600"]));
    expect(await readdir(out)).toEqual(["acme", "beta"]);
    expect(await namesIn(join(out, "acme"))).toEqual(["a", "b", "d"]);
    const verified = await daybookHere(["verify", "--data", out]);
    expect([verified.code, verified.stdout.match(/: intact: /g)?.length]).toEqual([0, 2]);

    const backup = await directoryState(out);
    const restored = await daybookHere(["restore", "--from", out, "--data", again]);
    expect([restored.code, restored.stderr]).toEqual([0, ""]);
    expect(restored.stdout).toMatch(/^acme: taken at \d{4}-\S+Z\nbeta: taken at \S+\nacme: complete up to sequence 3: .*\nbeta: complete up to sequence 1: .*\n$/);
    expect(await directoryState(out)).toEqual(backup);
    expect(await modesOf(again)).toEqual(new Set(["d700", "f600"]));
    await ingest(join(again, "acme"), ["d", "e"]);
    expect(await namesIn(join(again, "acme"))).toEqual(["a", "b", "d", "e"]);
    expect((await daybookHere(["backup", "--data", again, "--out", out])).code).toBe(0);
    expect(await namesIn(join(out, "acme"))).toEqual(["a", "b", "d", "e"]);
    await writer.close();
  });

  longTest("runs while serve does, and serve goes on; what is restored is served again", async () => {
    const root = await emptyDirectory();
    const [data, out, again] = [join(root, "data"), join(root, "out"), join(root, "again")];
    const env = { DAYBOOK_TOKEN: "sk_test_0123456789abcdef" };
    const serving = async (directory: string) => {
      const server = startProgram(CLI, ["serve", "--data", directory, "--port", "0", "--quiet", "--no-page"], { env });
      const [, url = ""] = await server.said(/^daybook listening on (http:\/\/\S+)$/m);
      const headers = { authorization: `Bearer ${env.DAYBOOK_TOKEN}`, "content-type": "application/json" };
      const post = (path: string, body: unknown) => fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) }).then((response) => response.json());
      return { server, post };
    };
    const first = await serving(data);
    expect(await first.post("/v1/events", { events: [{ name: "a" }, { name: "b" }] })).toMatchObject({ accepted: 2 });
    expect(await daybook(["backup", "--data", data, "--out", out])).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^default: complete up to sequence 2: /) });
    expect(await first.post("/v1/events", { events: [{ name: "c" }] })).toMatchObject({ accepted: 1 });
    first.server.child.kill("SIGTERM");
    expect((await first.server.finished).code).toBe(0);
    expect((await daybookHere(["restore", "--from", out, "--data", again])).code).toBe(0);
    const second = await serving(again);
    expect(await second.post("/analytics/count-events", {})).toEqual({ status: "OK", data: 2 });
  });

  test("of one store is one store, and keeps what a hard link holds of a former moment", async () => {
    const root = await emptyDirectory();
    const [data, out] = [join(root, "store"), join(root, "out")];
    await ingest(data, ["a"]);
    expect((await daybookHere(["backup", "--data", data, "--out", out])).stdout).toMatch(/^default: complete up to sequence 1: /);
    const kept = join(root, "kept");
    await link(out, kept);
    const before = await contentOf(kept);
    await ingest(data, ["b"]);
    expect((await daybookHere(["backup", "--data", data, "--out", out])).code).toBe(0);
    expect([await namesIn(out), await namesIn(kept)]).toEqual([["a", "b"], ["a"]]);
    expect(await contentOf(kept)).toEqual(before);
    expect((await verifyStore(fileStorage(kept))).findings).toEqual([]);
  });

  test("goes on with the others where one organization cannot be copied, and keeps what is in DIR no more", async () => {
    const { root, data } = await dataDirectory();
    const out = join(root, "out");
    expect((await daybookHere(["backup", "--data", data, "--out", out])).code).toBe(0);
    await rm(join(data, "beta"), { recursive: true });
    await ingest(join(data, "gamma"), ["g"]);
    const [segment = ""] = await readdir(join(data, "acme", "segments"));
    await rm(join(data, "acme", "segments", segment));
    await rm(join(out, "acme", "segments", segment));
    const { code, stdout, stderr } = await daybookHere(["backup", "--data", data, "--out", out]);
    expect([code, stderr]).toEqual([1, `daybook backup: ${out}: 1 organization of 2 failed\n`]);
    expect(stdout).toMatch(/^beta: is no longer in \S+; its last backup is kept\nacme: failed: segments\/\d{10} is damaged: .*\ngamma: complete up to sequence 1: .*\n$/);
    expect(await namesIn(join(out, "beta"))).toEqual(["c"]);
  });
});

describe("a byte is written to no place but an empty one, or a backup of the same directory:", () => {
  test("backup names what is wrong with TARGET", async () => {
    const { root, data } = await dataDirectory();
    const [inside, store, others, file] = [join(data, "backup"), join(root, "store"), join(root, "others"), join(root, "file")];
    await ingest(store, ["x"]);
    await mkdir(others);
    await writeFile(join(others, "notes.txt"), "");
    await writeFile(file, "");
    const before = await directoryState(root);
    const expected: [out: string, message: RegExp][] = [
      [inside, /: expected two directories, neither of which contains the other$/],
      [root, /: expected two directories, neither of which contains the other$/],
      [data, /: expected two directories, neither of which contains the other$/],
      [store, /: expected an empty directory, or a backup of \S+, which is a directory of organizations$/],
      [others, /: expected an empty directory, or a backup of /],
      [file, /: is not a directory$/],
    ];
    for (const [out, message] of expected) {
      const { code, stdout, stderr } = await daybookHere(["backup", "--data", data, "--out", out]);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr.trimEnd()).toMatch(message);
    }
    const ofOther = await daybookHere(["backup", "--data", join(data, "acme"), "--out", store]);
    expect([ofOther.code, ofOther.stdout]).toEqual([1, "default: failed: storage: expected an empty location or a backup of this store: it contains a store that is not a backup\n"]);
    expect(await directoryState(join(root, "data"))).toEqual(Object.fromEntries(Object.entries(before).flatMap(([path, state]) => (path.startsWith("data/") ? [[path.slice(5) || "/", state]] : []))));
    expect(await namesIn(store)).toEqual(["x"]);
  });

  test("restore takes an empty directory only, and says that a backup was cut", async () => {
    const root = await emptyDirectory();
    const [data, out, again] = [join(root, "store"), join(root, "out"), join(root, "again")];
    await ingest(data, ["a"]);
    await daybookHere(["backup", "--data", data, "--out", out]);
    for (const place of [data, out]) {
      const refused = await daybookHere(["restore", "--from", out, "--data", place]);
      expect([refused.code, refused.stdout]).toEqual([1, ""]);
    }
    await mkdir(again);
    await writeFile(join(again, "notes.txt"), "");
    expect((await daybookHere(["restore", "--from", out, "--data", again])).stderr).toBe(`daybook restore: ${again}: expected an empty directory\n`);
    await rm(join(again, "notes.txt"));
    const manifest = decodeManifest(await readFile(join(out, "MANIFEST")));
    await writeFile(join(out, "MANIFEST"), encodeManifest({ ...manifest, clean: false }));
    const cut = await daybookHere(["restore", "--from", out, "--data", again]);
    expect([cut.code, cut.stderr]).toEqual([0, ""]);
    expect(cut.stdout).toMatch(/^default: interrupted backup, begun at \S+Z: it contains the previous backup and part of what came later\ndefault: complete up to sequence 1: /);
    expect(await namesIn(again)).toEqual(["a"]);
    expect((await daybookHere(["restore", "--from", data, "--data", join(root, "copy")])).stdout).toMatch(/^default: is not a backup but an ordinary store\n/);
  });
});

/** What `cp -al` makes: directories of their own, and the same files under two names. */
async function link(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: async (path) => (await lstat(path)).isDirectory() });
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) await hardLink(path, join(to, relative(from, path)));
  }
}

async function contentOf(directory: string): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) content[join(entry.parentPath, entry.name)] = (await readFile(join(entry.parentPath, entry.name))).toString("base64");
  return content;
}

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openDaybook } from "daybook";
import { parseTokens } from "daybook/http";
import { fileStorage } from "daybook/node";
import { describe, expect, test } from "vitest";
import type { Command } from "../../src/cli/command.js";
import { dataDirectory } from "../../src/platform/node/data-directory.js";
import * as demo from "../../src/cli/commands/demo.js";
import * as exporting from "../../src/cli/commands/export.js";
import * as importing from "../../src/cli/commands/import.js";
import * as serve from "../../src/cli/commands/serve.js";
import * as stats from "../../src/cli/commands/stats.js";
import * as token from "../../src/cli/commands/token.js";
import * as verify from "../../src/cli/commands/verify.js";
import { checkedText } from "../../src/cli/token-check.js";
import { directoryState } from "../directory-state.js";
import { longTest } from "../long-test.js";
import { daybook, emptyDirectory, startProgram } from "./run.js";

const TOKEN = "sk_test_0123456789abcdef";

/** A store as a program makes it: three events, of which `inJournal` says whether they were sealed. */
async function storeIn(directory: string): Promise<string> {
  const store = await openDaybook({ storage: fileStorage(directory) });
  await store.ingest(["1", "2", "3"].map((id) => ({ id, name: "a", userId: id, createdAt: `2026-03-0${id}T00:00:00Z` })));
  await store.close();
  return directory;
}

const kindOf = async (path: string) => {
  const { kind, names, unrelated } = await dataDirectory(path);
  return { kind, names, unrelated };
};

/** Every command in every way that writes, and those that read. */
const COMMANDS: readonly (readonly [command: Command, args: readonly string[]])[] = [
  [serve, ["--port", "0"]],
  [demo, ["--once"]],
  [importing, ["-", "--format", "ndjson"]],
  [token, ["create", "--role", "viewer", "--scopes", "*"]],
  [token, ["revoke", "tok_1"]],
  [token, ["list"]],
  [verify, ["--salvage"]],
  [verify, []],
  [exporting, []],
  [stats, []],
];

/** What each command says; `token` takes the directory behind its action. */
async function refusals(directory: string): Promise<string[]> {
  const said: string[] = [];
  for (const [command, args] of COMMANDS)
    said.push(await command.run([...args, "--data", directory]).then(() => "done", (error: unknown) => (error instanceof Error ? error.message : "")));
  return [...new Set(said)];
}

describe("what --data names is", () => {
  test("absent or empty, also with what file systems and lock files leave", async () => {
    const directory = await emptyDirectory();
    expect(await kindOf(join(directory, "none"))).toEqual({ kind: "absent", names: [], unrelated: [] });
    for (const name of ["lost+found", "default", ".Trash-1000"]) await mkdir(join(directory, name));
    for (const name of [".DS_Store", ".gitkeep", "lost+found/#12", "LOCK~1~~~host~1"]) await writeFile(join(directory, name), "x");
    expect(await kindOf(directory)).toEqual({ kind: "empty", names: [], unrelated: [] });
  });

  test("one store, damaged or not, with tokens beside its files or not", async () => {
    const directory = await storeIn(await emptyDirectory());
    const store = { kind: "store", names: ["default"], unrelated: [] };
    expect(await kindOf(directory)).toEqual(store);
    await mkdir(join(directory, "quarantine", "segments"), { recursive: true });
    await writeFile(join(directory, "quarantine", "segments", "0000000002"), "x");
    await writeFile(join(directory, "tokens.json"), "[]\n");
    await writeFile(join(directory, "MANIFEST"), "x");
    expect(await kindOf(directory)).toEqual(store);
    await rm(join(directory, "MANIFEST"));
    expect(await kindOf(directory)).toEqual(store);
  });

  test("a directory of organizations, whatever they are called and whatever lies beside them", async () => {
    const directory = await emptyDirectory();
    for (const name of ["journal", "segments", "quarantine", "shop"]) await storeIn(join(directory, name));
    await mkdir(join(directory, "backup"));
    for (const name of ["notes.txt", "backup/all.tar", ".env", ".DS_Store"]) await writeFile(join(directory, name), "x");
    expect(await kindOf(directory)).toEqual({ kind: "organizations", names: ["journal", "quarantine", "segments", "shop"], unrelated: [".env", "backup", "notes.txt"] });
  });

  test("a directory of organizations to be, when there are tokens or only files to import", async () => {
    const directory = await emptyDirectory();
    await writeFile(join(directory, "events.ndjson"), "");
    expect((await kindOf(directory)).kind).toBe("empty");
    await mkdir(join(directory, "backup"));
    await writeFile(join(directory, "backup", "all.tar"), "x");
    const token = { sha256: "0".repeat(64), project: 'a"}{b', role: "admin", scopes: ["*"] };
    // By the program, by a person in any order, and with a damaged end.
    const ours = ["[]", "[]\n", checkedText(parseTokens(JSON.stringify([token]))), JSON.stringify([{ scopes: [], role: "member", token: "sk_x_0123456789abcdefgh" }]), checkedText(parseTokens(JSON.stringify([token, token]))).slice(0, -9)];
    for (const text of ours) {
      await writeFile(join(directory, "tokens.json"), text);
      expect((await kindOf(directory)).kind).toBe("organizations");
    }
  });
});

describe("every command refuses, and not a byte is written, where --data names", () => {
  test("a project of somebody", async () => {
    const directory = await emptyDirectory();
    await mkdir(join(directory, "src"));
    for (const name of ["package.json", "src/main.ts", "tokens.json", "MANIFEST"]) await writeFile(join(directory, name), "{}");
    const before = await directoryState(directory);
    expect(await refusals(directory)).toEqual([`${directory}: is neither a store nor a directory of organizations: it contains MANIFEST, package.json, src, tokens.json`]);
    expect(await directoryState(directory)).toEqual(before);
  });

  test.each(['["#000", "#fff"]', '[{"name":"accent","value":"#f0f"}]', '[{"token":"abc","user":"ann"}]', "[1]", "[", "[]x", '[{"role":"button"},{"token":"x","role":"a","scopes":[]}]'])(
    "tokens of another program: %s",
    async (text) => {
      const directory = await emptyDirectory();
      await writeFile(join(directory, "tokens.json"), text);
      await expect(dataDirectory(directory)).rejects.toThrow(`${directory}: is neither a store nor a directory of organizations: it contains tokens.json`);
    },
  );

  test("the home of somebody, of hidden files alone", async () => {
    const directory = await emptyDirectory();
    await writeFile(join(directory, ".profile"), "");
    const before = await directoryState(directory);
    expect(await refusals(directory)).toEqual([`${directory}: is neither a store nor a directory of organizations: it contains .profile`]);
    expect(await directoryState(directory)).toEqual(before);
  });

  test("a store that holds another: which of them is meant nobody knows", async () => {
    const directory = await storeIn(await emptyDirectory());
    await storeIn(join(directory, "shop"));
    const before = await directoryState(directory);
    expect(await refusals(directory)).toEqual([`${directory}: is a store and contains other stores (shop): move one or the other to a separate directory`]);
    expect(await directoryState(directory)).toEqual(before);
  });

  test("a store, and --organization another than its own", async () => {
    const directory = await storeIn(await emptyDirectory());
    const before = await directoryState(directory);
    const message = `${directory} is a single store, whose only organization is "default": there is no "shop"`;
    for (const [command, args] of COMMANDS.filter(([command, args]) => command !== serve && command !== demo && args[0] !== "list" && args[0] !== "revoke"))
      await expect(command.run([...args, "--data", directory, "--organization", "shop"])).rejects.toThrow(message);
    await expect(demo.run(["--once", "--data", directory])).rejects.toThrow("is a store; the demo creates an organization for each data set");
    expect(await directoryState(directory)).toEqual(before);
  });

  test("organizations, and one whose directory holds other things", async () => {
    const directory = await emptyDirectory();
    await storeIn(join(directory, "shop"));
    await storeIn(join(directory, "group", "inner"));
    await mkdir(join(directory, "backup", "old"), { recursive: true });
    await writeFile(join(directory, "backup", "old", "all.tar"), "x");
    await mkdir(join(directory, "docs"));
    await writeFile(join(directory, "docs", "notes.txt"), "x");
    const before = await directoryState(directory);
    const into = (name: string) => importing.run(["--data", directory, "--organization", name, "--format", "ndjson", "-"]);
    await expect(into("backup")).rejects.toThrow(`${directory}/backup: is neither a store nor a directory of organizations: it contains old`);
    await expect(into("docs")).rejects.toThrow(`${directory}/docs: is not a store and contains other files`);
    await expect(into("group")).rejects.toThrow(`${directory}/group: is a directory of organizations, expected the store of one organization`);
    expect(await directoryState(directory)).toEqual(before);
  });
});

longTest("A store that a program made is verified, served, given tokens, read and filled as the organization default, and is still the program's.", async () => {
  const directory = await storeIn(await emptyDirectory());
  const before = await directoryState(directory);
  const whole = await daybook(["verify", "--data", directory]);
  expect([whole.code, whole.stderr]).toEqual([0, ""]);
  expect(whole.stdout).toMatch(/^default: intact: 3 events of 3 days, 0 records; read [^\n]*\n$/);
  expect(await directoryState(directory)).toEqual(before);

  const server = startProgram("src/cli/main.ts", ["serve", "--data", directory, "--port", "0", "--quiet"], { env: { DAYBOOK_TOKEN: TOKEN } });
  const [, url = ""] = await server.said(/^daybook listening on (http:\/\/\S+)$/m);
  const ask = async (path: string, value: string, body: unknown): Promise<unknown> => {
    const headers = { authorization: `Bearer ${value}`, "content-type": "application/json" };
    return (await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  expect(await ask("/analytics/count-events", TOKEN, {})).toEqual({ status: "OK", data: 3 });
  await ask("/v1/events", TOKEN, { events: [{ name: "b", createdAt: "2026-03-08T00:00:00Z" }, { name: "b", createdAt: "2026-03-09T00:00:00Z" }] });
  const created = await daybook(["token", "create", "--data", directory, "--role", "viewer", "--scopes", "*"]);
  expect([created.code, created.stderr]).toEqual([0, ""]);
  const readAll = () => ask("/analytics/count-events", created.stdout.trim(), {}) as Promise<{ readonly data?: number }>;
  while ((await readAll()).data !== 5) await new Promise((resolve) => setTimeout(resolve, 50));

  const beside = await daybook(["verify", "--data", directory]);
  expect([beside.code, beside.stderr]).toEqual([0, ""]);
  expect(beside.stdout).toMatch(/^tokens\.json: intact: 1 token\ndefault: intact: 5 events of 5 days, of which 2 in the journal, 0 records; read [^\n]*\n$/);
  const [, row = ""] = (await daybook(["stats", "--data", directory])).stdout.split("\n");
  expect(row).toMatch(/^default +5 +5 +2026-03-01 +2026-03-09 +3 +2 +1 +[\d.]+ kB +/);
  server.child.kill("SIGTERM");
  expect((await server.finished).code).toBe(0);

  const store = await openDaybook({ storage: fileStorage(directory) });
  expect(await store.countEvents()).toBe(5);
  await store.close();
  const listed = await daybook(["token", "list", "--data", directory]);
  expect(listed.stdout).toMatch(/^tok_\S+ +default +/m);
});

import { chmod, lstat, open, readdir, readFile, stat, symlink, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { SERVER_LIMITS } from "../../src/core/base/server-limits.js";
import { LiveTokens } from "../../src/cli/server.js";
import { checkedText } from "../../src/cli/token-check.js";
import { changeTokenFile, readTokenFile } from "../../src/cli/token-store.js";
import { createHandler, createToken, tokenHash, type TokenRecord } from "../../src/http/index.js";
import { memoryStorage, openDaybook } from "../../src/index.js";
import { daybookHere } from "./run-here.js";
import { emptyDirectory, startProgram } from "./run.js";

const CREATE = ["--role", "member", "--scopes", "analytics:read", "--project", "shop"];
/** As a person writes them. */
const WRITTEN = [
  { token: "sk_by_hand_0123456789abcdefgh", role: "viewer", scopes: ["analytics:read"], organization: "acme", expires_at: "2030-01-01T00:00:00+02:00" },
  { sha256: tokenHash("pk_of_page").toUpperCase(), id: "page", project: "shop", public: { origins: ["https://shop.example"] } },
];

async function written(entries: unknown = WRITTEN): Promise<{ directory: string; path: string }> {
  const directory = await emptyDirectory();
  const path = join(directory, "Server tokens.json");
  await writeFile(path, typeof entries === "string" ? entries : JSON.stringify(entries), { mode: 0o644 });
  return { directory, path };
}

const token = (action: string, path: string, ...rest: string[]) => daybookHere(["token", action, "--tokens", path, ...rest]);

describe("daybook token --tokens FILE", () => {
  test("makes the file with the first token, lists and revokes, and keeps hashes only", async () => {
    const path = join(await emptyDirectory(), "tokens.json");
    const created = await token("create", path, ...CREATE);
    expect([created.code, created.stderr]).toEqual([0, ""]);
    const value = created.stdout.trim();
    expect(await readFile(path, "utf8")).not.toContain(value.slice(3));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const [, id = ""] = /^(tok_\S+) +default +shop +member +analytics:read +\S+ +valid$/m.exec((await token("list", path)).stdout) ?? [];
    expect((await token("revoke", path, id)).stdout).toBe(`revoked ${id}\n`);
    expect((await token("list", path)).stdout).toMatch(/ revoked \d{4}-/);
    expect((await token("revoke", path, "tok_none")).stderr).toBe(`daybook token: ${path}: there is no token with the id "tok_none"\n`);
  });

  test("keeps what a person wrote in meaning, and lets him go on writing", async () => {
    const { path } = await written();
    const before = (await readTokenFile(path)).records;
    await token("create", path, ...CREATE);
    const { text, records } = await readTokenFile(path);
    expect(records.slice(0, 2)).toEqual(before);
    expect(records).toHaveLength(3);
    expect(text).not.toContain("sk_by_hand_0123456789abcdefgh");
    expect((await stat(path)).mode & 0o777).toBe(0o644);
    await writeFile(path, text.replace('"member"', '"admin"'));
    expect((await token("list", path)).stdout).toMatch(/ shop +admin /);
  });

  test("revokes a token wherever it is written, and those of one id", async () => {
    const hand = WRITTEN[0];
    const other = { token: "sk_of_other_0123456789abcdefgh", id: "other", role: "viewer", scopes: ["*"] };
    const { path } = await written([hand, { ...hand, id: "other" }, other, WRITTEN[1]]);
    const [{ id = "" } = {}] = (await readTokenFile(path)).records;
    const revoked = async () => (await readTokenFile(path)).records.map((record) => record.revoked_at !== null);
    await token("revoke", path, id);
    expect(await revoked()).toEqual([true, true, false, false]);
    await token("revoke", path, "other");
    expect(await revoked()).toEqual([true, true, true, false]);
    expect((await token("revoke", path, "other")).stderr).toMatch(/^daybook token: the token other was already revoked at \S+\n$/);
  });

  test("leaves a file the mode that it has", async () => {
    const { path } = await written();
    await chmod(path, 0o640);
    await token("revoke", path, "page");
    expect((await stat(path)).mode & 0o7777).toBe(0o640);
  });

  test("leaves a file the owner and the group that it has, or leaves it alone", async () => {
    const { path } = await written();
    await chmod(path, 0o640);
    const { uid, gid } = await stat(path);
    const handle = await open(path);
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    // What is written anew is somebody else's at first, as it is where root changes the file of another user.
    const made = vi.spyOn(handles, "stat").mockResolvedValue(Object.assign(await handle.stat(), { uid: uid + 1, gid: gid + 1, mode: 0o100600 }));
    await handle.close();
    const given = vi.spyOn(handles, "chown");
    onTestFinished(() => {
      made.mockRestore();
      given.mockRestore();
    });
    expect((await token("revoke", path, "page")).code).toBe(0);
    expect(given.mock.calls).toEqual([[uid, gid]]);
    const before = await readFile(path, "utf8");
    given.mockRejectedValue(new Error("EPERM: operation not permitted"));
    const { code, stdout, stderr } = await token("create", path, ...CREATE);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`${path}: it cannot be rewritten with its owner (${uid}), group (${gid}) and mode (640), so it is left unchanged: EPERM`);
    expect([await readFile(path, "utf8"), await readdir(`${path}.lock`)]).toEqual([before, []]);
  });

  test("refuses a link to nothing, and what is no file", async () => {
    const directory = await emptyDirectory();
    const link = join(directory, "link.json");
    await symlink("tokens.json", link);
    const { code, stderr } = await token("create", link, ...CREATE);
    expect([code, stderr]).toEqual([1, `daybook token: ${link}: is a symbolic link, and files are not written through links: name the file itself\n`]);
    expect(await readdir(directory)).toEqual(["link.json"]);
    expect((await token("revoke", "/dev/null", "page")).stderr).toBe("daybook token: /dev/null: expected a regular file, which can be replaced\n");
  });

  test("lists what a link leads to, and writes neither that nor the link", async () => {
    const { directory, path } = await written();
    const link = join(directory, "link.json");
    await symlink(path, link);
    const before = await readFile(path, "utf8");
    expect((await token("list", link)).stdout).toContain("page");
    for (const run of [await token("revoke", link, "page"), await token("create", link, ...CREATE)]) {
      expect([run.code, run.stderr]).toEqual([1, `daybook token: ${link}: is a symbolic link, and files are not written through links: name the file itself\n`]);
    }
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readFile(path, "utf8")).toBe(before);
    expect((await readdir(directory)).sort()).toEqual(["Server tokens.json", "link.json"]);
  });

  test("writes one file, and has one lock, whichever links lead to its directory", async () => {
    const { directory, path } = await written();
    const link = join(await emptyDirectory(), "directory");
    await symlink(directory, link);
    expect((await token("revoke", join(link, "Server tokens.json"), "page")).code).toBe(0);
    expect((await readTokenFile(path)).records[1]?.revoked_at).toMatch(/^\d{4}-/);
    expect((await readdir(directory)).sort()).toEqual(["Server tokens.json", "Server tokens.json.lock"]);
  });

  const records = [createToken({ role: "viewer", scopes: ["*"], nowMs: 0 }).record];
  test.each([
    ["no JSON", "[{", "the text is not JSON"],
    ["no array", "{}", "expected an array"],
    ["another member", [{ ...WRITTEN[0], rôle: "x" }], "tokens[0]"],
    ["a changed byte in what has a checksum", checkedText(records).replace('"viewer"', '"member"'), "the checksum of token 1 is wrong"],
  ])("refuses a damaged file, and leaves it alone: %s", async (_, entries, message) => {
    const { directory, path } = await written(entries);
    const before = await readFile(path, "utf8");
    for (const run of [await token("create", path, ...CREATE), await token("list", path), await token("revoke", path, "page")]) {
      expect([run.code, run.stdout]).toEqual([1, ""]);
      expect(run.stderr).toContain(`daybook token: ${path}: `);
      expect(run.stderr).toContain(message);
      expect(run.stderr).not.toContain("sk_by_hand_0123456789abcdefgh");
    }
    expect(await readFile(path, "utf8")).toBe(before);
    expect(await readdir(directory)).toEqual(["Server tokens.json"]);
  });

  test("says what is not there, and makes none of it", async () => {
    const directory = await emptyDirectory();
    const path = join(directory, "none.json");
    for (const run of [await token("list", path), await token("revoke", path, "page")]) expect([run.code, run.stderr]).toEqual([1, `daybook token: ${path}: no such file\n`]);
    const astray = await token("create", join(directory, "nowhere", "tokens.json"), ...CREATE);
    expect([astray.code, astray.stderr]).toEqual([1, `daybook token: ${directory}/nowhere: no such directory\n`]);
    expect(await readdir(directory)).toEqual([]);
    const both = await token("list", path, "--data", directory);
    expect([both.code, both.stderr]).toEqual([2, "daybook token: --data and --tokens cannot be combined (see daybook token --help)\n"]);
    const neither = await daybookHere(["token", "list"]);
    expect([neither.code, neither.stderr]).toEqual([2, "daybook token: expected --data or --tokens (see daybook token --help)\n"]);
  });

  test("counts changes at the same moment", async () => {
    const { path } = await written([]);
    const add = (record: TokenRecord) => changeTokenFile(path, (before) => [...before, record], false);
    await Promise.all([1, 2, 3].map((nowMs) => add(createToken({ role: "viewer", scopes: ["*"], nowMs }).record)));
    expect((await readTokenFile(path)).records).toHaveLength(3);
  });
});

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
}

test("daybook serve --tokens FILE takes changes at once, and of a damaged file warns once and keeps its tokens", async () => {
  const { path } = await written();
  const server = startProgram("src/cli/main.ts", ["serve", "--memory", "--port", "0", "--quiet", "--no-page", "--tokens", path]);
  const [, url = ""] = await server.said(/listening on (\S+)/);
  const value = (await token("create", path, ...CREATE)).stdout.trim();
  const status = async () => (await fetch(`${url}/v1/token`, { headers: { authorization: `Bearer ${value}` } })).status;
  await until(async () => (await status()) === 200);
  const text = await readFile(path, "utf8");
  const warnings = () => server.stderr.split("\n").filter((line) => line.includes("tokens not reloaded")).length;
  for (const count of [1, 2]) {
    await writeFile(path, "[");
    await until(() => warnings() === count);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect([warnings(), await status()]).toEqual([count, 200]);
    await writeFile(path, text);
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
  const [, id = ""] = /^(tok_\S+) +default +shop/m.exec((await token("list", path)).stdout) ?? [];
  await token("revoke", path, id);
  await until(async () => (await status()) === 401);
  expect(warnings()).toBe(2);
}, 30_000);

test("daybook serve --tokens reads a pipe once, and serves its tokens", async () => {
  const { path } = await written([WRITTEN[0], { ...WRITTEN[0], organization: "gone", token: "sk_gone_0123456789abcdefgh", revoked_at: "2026-01-01T00:00:00Z" }]);
  const within = ["bash", "-c", 'exec "${@:2}" --tokens <(cat "$1")', "bash", path];
  const server = startProgram("src/cli/main.ts", ["serve", "--memory", "--port", "0", "--quiet", "--no-page"], { within });
  const [, url = ""] = await server.said(/listening on (\S+)/);
  const status = async (value: string) => (await fetch(`${url}/v1/token`, { headers: { authorization: `Bearer ${value}` } })).status;
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect([await status("sk_by_hand_0123456789abcdefgh"), await status("sk_gone_0123456789abcdefgh"), server.stderr]).toEqual([200, 401, ""]);
});

describe("the tokens of a server", () => {
  const { record } = createToken({ role: "viewer", scopes: ["*"], nowMs: 0 });
  const revoked = { ...record, revoked_at: "2026-01-01T00:00:00Z" };
  const textOf = (records: TokenRecord[]) => ({ text: JSON.stringify(records), records });

  test.each([
    ["fixed", [revoked], [[record]]],
    ["in the first place", [record], [[revoked], [record]]],
    ["in the second place", [], [[record], [revoked]]],
    ["first in one place", [], [[revoked, record]]],
    ["last in one place", [], [[record, revoked]]],
  ])("have one that is there twice as revoked: %s", async (_, fixed, places) => {
    const tokens = new LiveTokens(fixed, places.map((records) => () => Promise.resolve(textOf(records))));
    await tokens.reload();
    expect(tokens.find(record.sha256)).toBe(revoked);
  });

  test("are said to be in force when not all of them can be served", async () => {
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => said.mockRestore());
    let records: TokenRecord[] = [];
    const onChange = (now: readonly TokenRecord[]) => (now.length === 0 ? Promise.resolve() : Promise.reject(new Error("no room")));
    const tokens = new LiveTokens([], [() => Promise.resolve(textOf(records))], onChange);
    onTestFinished(() => tokens.stop());
    await tokens.start();
    records = [record];
    await until(() => said.mock.calls.length > 0);
    expect(said.mock.calls.join("")).toContain('"tokens reloaded, but not all of them can be served yet: no room"');
    expect(tokens.find(record.sha256)).toBe(record);
  });

  // Before the first heartbeat, which would end the stream too.
  test("end the stream of changes of one that the command line revokes, in silence", { timeout: SERVER_LIMITS.changeHeartbeatMs - 3_000 }, async () => {
    const path = join(await emptyDirectory(), "tokens.json");
    const value = (await token("create", path, "--role", "owner", "--scopes", "*")).stdout.trim();
    const tokens = new LiveTokens([], [() => readTokenFile(path)]);
    onTestFinished(() => tokens.stop());
    await tokens.start();
    const daybook = await openDaybook({ storage: memoryStorage() });
    onTestFinished(() => daybook.close());
    await daybook.ingest([{ name: "a", project: "shop" }]);
    const handler = createHandler({ organizations: { default: daybook }, tokens });
    onTestFinished(() => handler.stop());
    const headers = { authorization: `Bearer ${value}` };
    const reading = (await handler(new Request("http://daybook.test/v1/projects/shop/changes", { headers }))).text();
    const [{ id = "" } = {}] = (await readTokenFile(path)).records;
    await token("revoke", path, id);
    expect(await reading).toBe("retry: 1000\n\n");
  });
});

import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { dataDirectory } from "../../src/platform/node/data-directory.js";
import { changeTokens, storedTokens } from "../../src/cli/token-store.js";
import { kernelFileSystem } from "../../src/platform/node/kernel-file-system.js";
import { longTest } from "../long-test.js";
import { daybookHere } from "./run-here.js";
import { daybook, emptyDirectory } from "./run.js";

describe("daybook token", () => {
  test("create prints the value once and keeps its hash only; list and revoke never show it", async () => {
    const directory = await emptyDirectory();
    const created = await daybookHere(["token", "create", "--data", directory, "--role", "member", "--scopes", "analytics:read,events:write", "--project", "shop"]);
    expect([created.code, created.stderr]).toEqual([0, ""]);
    const value = created.stdout.trim();
    expect(value).toMatch(/^sk_[0-9a-f]{48}$/);

    const path = join(directory, "tokens.json");
    expect(await readFile(path, "utf8")).not.toContain(value.slice(3));
    expect((await stat(path)).mode & 0o777).toBe(0o600);

    const listed = await daybookHere(["token", "list", "--data", directory]);
    expect(listed.stdout).not.toContain(value.slice(3));
    const [, id = ""] = /^(tok_\S+) +default +shop +member +analytics:read,events:write +\S+ +valid$/m.exec(listed.stdout) ?? [];
    expect(id).not.toBe("");

    expect((await daybookHere(["token", "revoke", "--data", directory, id])).stdout).toBe(`revoked ${id}\n`);
    expect((await daybookHere(["token", "list", "--data", directory])).stdout).toMatch(/ revoked \d{4}-/);
    const again = await daybookHere(["token", "revoke", "--data", directory, id]);
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/was already revoked at .*\n$/);
    const unknown = await daybookHere(["token", "revoke", "--data", directory, "tok_none"]);
    expect([unknown.code, unknown.stderr]).toEqual([1, `daybook token: ${directory}: there is no token with the id "tok_none"\n`]);
  });

  longTest("changes at the same moment all count", async () => {
    const directory = await emptyDirectory();
    const create = () => daybook(["token", "create", "--data", directory, "--role", "viewer", "--scopes", "*"]);
    const codes = (await Promise.all([create(), create(), create()])).map((run) => run.code);
    expect(codes).toEqual([0, 0, 0]);
    expect(JSON.parse(await readFile(join(directory, "tokens.json"), "utf8"))).toHaveLength(3);
  });

  test("a change looks into no organization, however many there are, and clears away what a change that died left behind", async () => {
    const directory = await emptyDirectory();
    for (let number = 0; number < 20; number += 1) {
      await mkdir(join(directory, `org-${number}`, "segments"), { recursive: true });
      await writeFile(join(directory, `org-${number}`, "MANIFEST"), '{"format":1}');
    }
    await writeFile(join(directory, "tokens.json~4194399~1~00000000~1+gone~1"), "[");
    const looked = vi.spyOn(kernelFileSystem, "readDirectory");
    try {
      await changeTokens(await dataDirectory(directory), (records) => records);
      expect([...new Set(looked.mock.calls.map(([path]) => path))]).toEqual([directory]);
    } finally {
      looked.mockRestore();
    }
    expect(await storedTokens(directory)).toEqual([]);
    expect((await readdir(directory)).filter((name) => !name.startsWith("org-"))).toEqual(["tokens.json"]);
  });

  test("a time that is none is bad usage", async () => {
    const directory = await emptyDirectory();
    const run = await daybookHere(["token", "create", "--data", directory, "--role", "viewer", "--scopes", "*", "--expires", "soon"]);
    expect(run.code).toBe(2);
    expect(run.stderr).toBe("daybook token: --expires: expected an RFC 3339 timestamp with a zone (see daybook token --help)\n");
  });
});

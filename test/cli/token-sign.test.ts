import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { openDaybook } from "../../src/index.js";
import { fileStorage } from "../../src/platform/node/index.js";
import { daybookHere } from "./run-here.js";
import { emptyDirectory } from "./run.js";

const SCOPE = { projects: ["shop"], lastDays: 30 };

describe("daybook token sign", () => {
  test("prints a token that the store verifies, while another process writes to it; rotations reach that process", async () => {
    const directory = await emptyDirectory();
    await using daybook = await openDaybook({ storage: fileStorage(directory) });
    await daybook.ingest([{ name: "a" }]);
    const sign = async () => {
      const signed = await daybookHere(["token", "sign", "--data", directory, "--scope", JSON.stringify(SCOPE), "--expires-in", "1h", "--origins", "https://a.example, https://b.example"]);
      expect([signed.code, signed.stderr]).toEqual([0, ""]);
      return signed.stdout.trim();
    };
    const token = await sign();
    expect(await daybook.verifyScopeToken(token)).toMatchObject({ scope: SCOPE, organization: "default", origins: ["https://a.example", "https://b.example"] });
    expect((await stat(join(directory, "signing-keys.json"))).mode & 0o777).toBe(0o600);

    const startedMs = performance.now();
    const clock = vi.spyOn(performance, "now");
    try {
      for (const [round, isValid] of [[1, true], [2, false]] as const) {
        expect(await daybookHere(["token", "rotate-signing-key", "--data", directory])).toMatchObject({ code: 0, stdout: "rotated the signing key of default\n" });
        clock.mockImplementation(() => startedMs + round * 10_000);
        const verified = await daybook.verifyScopeToken(token).then(() => true, () => false);
        expect(verified).toBe(isValid);
      }
    } finally {
      clock.mockRestore();
    }
    const keys = (JSON.parse(await readFile(join(directory, "signing-keys.json"), "utf8")) as { keys: string[] }).keys;
    expect(keys).toHaveLength(2);
  });

  test("takes the scope from a file, and the organization of a data directory", async () => {
    const directory = await emptyDirectory();
    const storage = fileStorage(join(directory, "acme"));
    await (await openDaybook({ storage })).close();
    const file = join(directory, "scope.json");
    await writeFile(file, JSON.stringify(SCOPE));
    const signed = await daybookHere(["token", "sign", "--data", directory, "--organization", "acme", "--scope", file, "--expires-in", "90d", "--long-lived"]);
    expect([signed.code, signed.stderr]).toEqual([0, ""]);
    await using daybook = await openDaybook({ storage, readOnly: true });
    expect(await daybook.verifyScopeToken(signed.stdout.trim())).toMatchObject({ scope: SCOPE, organization: "acme", origins: null });
    const none = await daybookHere(["token", "rotate-signing-key", "--data", directory, "--organization", "globex"]);
    expect([none.code, none.stderr]).toEqual([1, `daybook token: ${directory}: there is no organization "globex"\n`]);
  });

  test.each([
    [["--scope", "{}"], "--expires-in: expected exactly one of --expires-in and --expires"],
    [["--scope", "{}", "--expires-in", "2d"], '--expires-in: expected at most 24 hours from now, or up to 366 days with --long-lived, got "2d"'],
    [["--scope", "{}", "--expires", "tomorrow"], '--expires: expected an RFC 3339 timestamp with a zone or a Date, got "tomorrow"'],
    [["--scope", '{"lastDays":0}', "--expires-in", "1h"], "--scope.lastDays: expected an integer from 1 to 3660, got 0"],
    [["--scope", "{", "--expires-in", "1h"], "--scope: expected JSON: "],
    [["--scope", "{}", "--expires-in", "1h", "--origins", "a.example"], "--origins[0]: expected *, or an origin such as "],
    [["--expires-in", "1h"], "--scope is required"],
  ])("%j is a wrong command line", async (args, message) => {
    const directory = await emptyDirectory();
    await (await openDaybook({ storage: fileStorage(directory) })).close();
    const run = await daybookHere(["token", "sign", "--data", directory, ...args]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(message);
    await expect(stat(join(directory, "signing-keys.json"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

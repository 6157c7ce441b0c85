import { mkdir, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SERVER_LIMITS } from "../../src/core/base/server-limits.js";
import { daybook, emptyDirectory, startProgram } from "./run.js";

async function eventsFile(): Promise<string> {
  const path = join(await emptyDirectory(), "events.ndjson");
  await writeFile(path, `${JSON.stringify({ name: "a", userId: "u" })}\n`);
  return path;
}

const FREE_PORT = ["--port", "0"];

test("serve and import end with an error that names the place where no directory can be made.", async () => {
  const directory = await emptyDirectory();
  await symlink(join(directory, "nowhere"), join(directory, "dangling"));
  const data = join(directory, "dangling", "data");
  const ended = await Promise.all([daybook(["serve", "--data", data, ...FREE_PORT]), daybook(["import", "--data", data, await eventsFile()])]);
  for (const { code, stderr } of ended) {
    expect(code).toBe(1);
    expect(stderr).toContain(`could not create or open the directory ${data}/default: `);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  }
});

/** A data directory whose store has the lock of a process of another host. */
async function lockedData(renewedAgoMs: number): Promise<{ readonly data: string; readonly lock: string }> {
  const data = await emptyDirectory();
  await mkdir(join(data, "default"));
  const lock = join(data, "default", "LOCK~7~1~1~1+elsewhere~1");
  await writeFile(lock, "held\n");
  await renew(lock, renewedAgoMs);
  return { data, lock };
}

function renew(lock: string, agoMs: number): Promise<void> {
  const at = (Date.now() - agoMs) / 1_000;
  return utimes(lock, at, at);
}

test("serve waits for a lock whose owner cannot be seen, says so in a line, and then has the store: nobody has to remove anything.", async () => {
  // However long the program takes to start, so much is left.
  const { data, lock } = await lockedData(-3_600_000);
  const server = startProgram("src/cli/main.ts", ["serve", "--data", data, ...FREE_PORT]);
  while (!server.stderr.includes("waiting up to")) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(server.stderr).toMatch(/^daybook: The store is open in process 7 on host elsewhere, which cannot be seen from here: its lock file LOCK~7~1~1~1\+elsewhere~1 was last renewed \d+ s ago; waiting up to 60 s for it\.\n$/);
  await rm(lock);
  await server.said(/listening on/);
  expect((await readdir(join(data, "default"))).filter((name) => name.startsWith("LOCK"))).toHaveLength(1);
});

test("import ends with store_locked as soon as it sees that the owner of the lock lives.", async () => {
  const { data, lock } = await lockedData(-3_600_000);
  const importing = startProgram("src/cli/main.ts", ["import", "--data", data, await eventsFile()]);
  while (!importing.stderr.includes("waiting up to")) await new Promise((resolve) => setTimeout(resolve, 5));
  await renew(lock, 0);
  const { code, stderr } = await importing.finished;
  expect(code).toBe(1);
  expect(stderr).toMatch(/\ndaybook import: The store is open in process 7 on host elsewhere, .* can be taken over in 60 s unless it is renewed\.\n$/);
});

test("import and a change of tokens take over what was not renewed for a minute.", async () => {
  const { data } = await lockedData(SERVER_LIMITS.lockLeaseMs + 1_000);
  const lock = join(data, "LOCK~7~1~1~1+elsewhere~1");
  await writeFile(lock, "held\n");
  await renew(lock, SERVER_LIMITS.lockLeaseMs + 1_000);
  const ended = await Promise.all([daybook(["import", "--data", data, await eventsFile()]), daybook(["token", "create", "--data", data, "--role", "owner", "--scopes", "*"])]);
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([[0, ""], [0, ""]]);
  expect((await readdir(data)).sort()).toEqual(["default", "reserve~", "tokens.json"]);
});

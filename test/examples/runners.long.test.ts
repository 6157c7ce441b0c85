import { spawn } from "node:child_process";
import { mkdir, readdir, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Running } from "../cli/run.js";
import { appFolder, programOf } from "./app-folder.js";
import { ask, expectRoutes, TOKEN } from "./served.js";

/** Runs a program of an installed package in an app. */
function run(directory: string, path: string, args: readonly string[]): Running {
  // What a test runner leaves for its own threads is not for those of another.
  const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, NODE_ENV: ____, ...environment } = process.env;
  const child = spawn(process.execPath, [programOf(directory, path), ...args], {
    cwd: directory,
    env: { ...environment, CI: "1", NEXT_TELEMETRY_DISABLED: "1", DAYBOOK_TOKEN: TOKEN, DAYBOOK_DATA: `${directory}/data` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return new Running(child);
}

/** Next.js asks for the types of React in every app of TypeScript, and this one has no component. */
async function giveReactTypes(directory: string): Promise<void> {
  const types = join(directory, "node_modules", "@types");
  const installed = await readlink(types);
  await rm(types);
  await mkdir(join(types, "react"), { recursive: true });
  for (const name of await readdir(installed)) if (name !== "react") await symlink(join(installed, name), join(types, name));
  await writeFile(join(types, "react", "package.json"), '{ "name": "@types/react", "version": "19.0.0", "types": "index.d.ts" }');
  await writeFile(join(types, "react", "index.d.ts"), "export as namespace React;\nexport type ReactNode = unknown;\n");
}

describe("tests of users", () => {
  test("pass under vitest", async () => {
    const { code, stdout, stderr } = await run(await appFolder("vitest"), "vitest/vitest.mjs", ["run"]).finished;
    expect([code, stderr], stdout + stderr).toEqual([0, ""]);
    expect(stdout).toContain("3 passed");
  });

  test("pass under jest", async () => {
    const { code, stderr } = await run(await appFolder("jest"), "jest/bin/jest.js", ["--watchman=false"]).finished;
    expect([code, stderr]).toEqual([0, expect.stringContaining("3 passed")]);
  });
});

describe("nextjs", () => {
  test("is built without a store, opens one for all its routes, and loses nothing when it is stopped", async () => {
    const directory = await appFolder("nextjs");
    await giveReactTypes(directory);
    const built = await run(directory, "next/dist/bin/next", ["build", "--webpack"]).finished;
    expect(built.code, built.stdout + built.stderr).toBe(0);
    const started = run(directory, "next/dist/bin/next", ["start", "--port", "0", "--hostname", "127.0.0.1"]);
    const [url] = await started.said(/http:\/\/127\.0\.0\.1:\d+/);
    expect(await ask(`${url}/orders`, { user: "ada", amount: 12 }, {})).toEqual({ status: 201, json: { orders: 1 } });
    await expectRoutes(`${url}/api/stats`, 1);
    started.child.kill("SIGTERM");
    await started.finished;
    const again = run(directory, "next/dist/bin/next", ["start", "--port", "0", "--hostname", "127.0.0.1"]);
    const [url2] = await again.said(/http:\/\/127\.0\.0\.1:\d+/);
    expect(await ask(`${url2}/api/stats/analytics/count-events`, {})).toMatchObject({ json: { data: 44 } });
  });
});

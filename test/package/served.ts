import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { ROOT, type Running } from "../cli/run.js";

export const TOKEN = "sk_of_the_package_0123456789abcdefgh";

/** The text of `programs/server.ts`; @param options what its two threads are told, as code */
export async function serverText(options: { readonly seal?: string; readonly sockets?: string } = {}): Promise<string> {
  const text = await readFile(join(ROOT, "test/package/programs/server.ts"), "utf8");
  return text.replace("backgroundSealing()", `backgroundSealing(${options.seal ?? ""})`).replace("listenOnWorker(handler)", `listenOnWorker(handler${options.sockets === undefined ? "" : `, ${options.sockets}`})`);
}

/** Asks a started `server.ts` over HTTP and ends it. @param threads false: it has neither, and a warning for each */
export async function expectServed(program: Running, threads: boolean): Promise<void> {
  const [, url] = await program.said(/listening on (http:\S+)/);
  const response = await fetch(`${url}/analytics/count-events`, { method: "POST", headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" }, body: "{}" });
  expect([response.status, await response.json()]).toEqual([200, { status: "OK", data: 5_000 }]);
  program.child.kill("SIGTERM");
  const { code, stdout, stderr } = await program.finished;
  expect(stdout).toContain(`sealed ${threads ? "on a thread" : "here"}\n5000 stored, 2858 match, invalid_date\n`);
  const warnings = stderr.match(/DaybookWarning: .*/g) ?? [];
  expect(warnings).toEqual(threads ? [] : [expect.stringMatching(/the seal worker failed.*the option "program"/), expect.stringMatching(/the thread of the handler.*the option "program"/)]);
  expect([code, stderr === ""]).toEqual([0, threads]);
}

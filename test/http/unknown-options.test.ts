import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { connectDaybook } from "../../src/client/index.js";
import { createHandler, memoryTokens } from "../../src/http/index.js";
import { fileStorage, listen, listenOnThread, sealThread, toNodeHandler } from "../../src/node/index.js";
import { handlerOf, stubDaybook } from "./kit.js";

const handler = handlerOf(stubDaybook());
const client = { url: "http://127.0.0.1:1", token: "sk_1" };
const house = { organizations: {}, tokens: memoryTokens([]) };

/** Whatever takes options, with one that it has. */
const TAKERS: readonly (readonly [name: string, known: string, take: (options: object | null) => unknown])[] = [
  ["listen", "drainMs", (options) => listen(handler, options as never)],
  ["listenOnThread", "program", (options) => listenOnThread(handler, options as never)],
  ["sealThread", "program", (options) => sealThread(options as never)],
  ["toNodeHandler", "basePath", (options) => toNodeHandler(handler, options as never)],
  ["fileStorage", "lockLeaseMs", (options) => fileStorage(tmpdir(), options as never)],
  ["connectDaybook", "timeoutMs", (options) => connectDaybook((options === null ? options : { ...client, ...options }) as never)],
  ["createHandler", "tokens", (options) => createHandler((options === null ? options : { ...house, ...options }) as never)],
];

async function taken(take: (options: object | null) => unknown, options: object | null): Promise<void> {
  await take(options);
}

describe.each(TAKERS)("%s", (_name, known, take) => {
  it("refuses an option that it does not know, and names those that it does", async () => {
    const message = expect.stringMatching(new RegExp(`^misspelt: unknown; known are .*\\b${known}\\b`)) as string;
    await expect(taken(take, { misspelt: true })).rejects.toMatchObject({ code: "unknown_parameter", message, details: { param: "misspelt" } });
  });

  it("refuses options that are none", async () => {
    await expect(taken(take, null)).rejects.toMatchObject({ code: "invalid_parameter", details: { param: "options", reason: "expected an object, got null" } });
  });
});

it.each([
  ["listen", (limits: object) => listen(handler, { limits })],
  ["listenOnThread", (limits: object) => listenOnThread(handler, { limits })],
  ["createHandler", (limits: object) => createHandler({ ...house, limits })],
] as const)("%s refuses bounds that it does not know", async (_name, take) => {
  await expect(taken(take as never, { headerMs: 5 })).rejects.toMatchObject({ code: "unknown_parameter", details: { param: "limits.headerMs" } });
});

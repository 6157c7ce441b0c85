import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { fixedClock, memoryStorage, openDaybook } from "../../../src/index.js";
import { loadUserAgentParser } from "../../../src/http/index.js";
import { handlerOf, NOW_MS, send } from "../kit.js";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0";

test("A handler with the reader of user agents stores what tracking calls tell by theirs.", async () => {
  const daybook = await openDaybook({ storage: memoryStorage(), clock: fixedClock(NOW_MS) });
  const handler = handlerOf(daybook, { parseUserAgent: await loadUserAgentParser() });
  await send(handler, "/v1/page", { body: { userId: "u1", context: { userAgent: FIREFOX } } });
  expect((await daybook.searchEvents()).events).toMatchObject([{ device: "desktop", os: "Linux", browser: "Firefox" }]);
  await daybook.close();
});

test("The same text is read the same again, nothing of it where it tells nothing, however long it is.", async () => {
  const read = await loadUserAgentParser();
  expect(read(FIREFOX)).toBe(read(FIREFOX));
  expect(read("")).toEqual({});
  expect(read(`${FIREFOX} ${"x".repeat(10_000)}`)).toMatchObject({ os: "Linux", browser: "Firefox" });
});

test("The parser of user agents is loaded when somebody wants the reader, not with daybook/http.", async () => {
  const entryPoint = fileURLToPath(new URL("../../../src/http/index.ts", import.meta.url));
  const { metafile } = await build({ entryPoints: [entryPoint], bundle: true, packages: "external", format: "esm", platform: "node", write: false, metafile: true });
  const uses = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ path }) => path === "bowser"));
  expect(uses.map(({ kind }) => kind)).toEqual(["dynamic-import"]);
});

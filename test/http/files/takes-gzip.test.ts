import { describe, expect, test } from "vitest";
import { memoryStorage, openDaybook } from "daybook";
import { createHandler, memoryTokens } from "daybook/http";
import { sha256Hex } from "daybook/node";
import { acceptsGzip } from "../../../src/http/files/browser-files.js";

describe("gzip", () => {
  test.each([
    "gzip", "deflate, gzip", "GZIP;q=0.5", "gzip ; q=0.001", "br;q=1.0, gzip;q=0.8, *;q=0.1", "*", "x-gzip", "identity;q=0, *;q=0.5",
  ])("is taken by %s", (header) => {
    expect(acceptsGzip(header)).toBe(true);
  });

  test.each(["", "br", "gzip;q=0", "gzip; q=0.000, *", "*;q=0", "gzip;Q=0", "gzipped", "not-gzip", "gzip;q=much"])("is not taken by %j", (header) => {
    expect(acceptsGzip(header)).toBe(false);
  });
});

test("a file is sent in the coding that its caller takes", async () => {
  const daybook = await openDaybook({ storage: memoryStorage() });
  const file = { text: "plain", gzip: new TextEncoder().encode("packed") };
  const files = { page: { html: file, script: file, style: file } };
  const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens([]), files, sha256Hex });
  const sent = async (coding: string) => {
    const response = await handler(new Request("http://here/page.js", { headers: { "accept-encoding": coding } }));
    return [response.headers.get("content-encoding"), await response.text()];
  };
  expect(await sent("gzip")).toEqual(["gzip", "packed"]);
  expect(await sent("gzip;q=0")).toEqual([null, "plain"]);
  await daybook.close();
});

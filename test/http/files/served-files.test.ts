import { expect, test } from "vitest";
import { createHandler, memoryTokens, type Handler } from "daybook/http";

const FILE = { text: "text", gzip: null };
const FILES = { embed: FILE, tracker: FILE, page: { html: FILE, script: FILE, style: FILE } };

function handlerWith(frameAncestors?: readonly string[]): Handler {
  return createHandler({ organizations: {}, tokens: memoryTokens([]), files: FILES, ...(frameAncestors !== undefined && { frameAncestors }) });
}

async function policyOf(handler: Handler): Promise<string | null> {
  const response = await handler(new Request("http://stats.example/"));
  return /frame-ancestors [^;]+/.exec(response.headers.get("content-security-policy") ?? "")?.[0] ?? null;
}

test("scripts for other pages are open to every origin, those of the dashboard are not", async () => {
  const handler = handlerWith();
  const headersOf = async (path: string) => (await handler(new Request(`http://stats.example${path}`))).headers;
  for (const path of ["/embed.js", "/daybook.js"]) {
    const headers = await headersOf(path);
    expect([headers.get("access-control-allow-origin"), headers.get("cross-origin-resource-policy")]).toEqual(["*", "cross-origin"]);
  }
  const own = await headersOf("/page.js");
  expect([own.get("access-control-allow-origin"), own.get("cross-origin-resource-policy")]).toEqual([null, "same-origin"]);
});

test("only the origins of the option may frame the dashboard", async () => {
  expect(await policyOf(handlerWith())).toBe("frame-ancestors 'none'");
  expect(await policyOf(handlerWith(["https://*.app.example:8443", "'self'"]))).toBe("frame-ancestors https://*.app.example:8443 'self'");
});

test.each(["*", "app.example", "https://app.example/", "https://app.example; script-src *", "https://a,b", "self", ""])("%j is no origin", (origin) => {
  expect(() => handlerWith([origin])).toThrow("frameAncestors: expected origins such as https://app.example, or 'self', got");
});

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { memoryStorage, openDaybook, type Daybook } from "../../src/index.js";
import { createHandler, memoryTokens } from "../../src/http/index.js";
import { listen } from "../../src/platform/node/index.js";

/** Requests, then queries of the library with the member of the answer that is meant, and what these must be. */
interface Case {
  readonly what: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly send: readonly (readonly [path: string, body: unknown])[];
  readonly ask: readonly (readonly [query: string, input: unknown, member?: string])[];
  readonly right: readonly unknown[];
}

const TOKEN = "sk_cases_0123456789abcdef";
const folder = fileURLToPath(new URL(".", import.meta.url));
const cases = readdirSync(folder).filter((name) => name.endsWith(".json"));

function read(name: string): Case {
  return JSON.parse(readFileSync(join(folder, name), "utf8").replaceAll("$TOKEN", TOKEN)) as Case;
}

function memberOf(answer: unknown, path: string | undefined): unknown {
  return (path?.split(".") ?? []).reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], answer);
}

describe("small inputs that other products get wrong", () => {
  test.each(cases)("%s", async (name) => {
    const { what, headers = {}, send, ask, right } = read(name);
    const daybook = await openDaybook({ storage: memoryStorage() });
    const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens([{ token: TOKEN, role: "owner", scopes: ["*"] }]) });
    const server = await listen(handler);
    const token = Object.keys(headers).length === 0 ? { authorization: `Bearer ${TOKEN}` } : headers;
    for (const [path, body] of send) {
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const response = await fetch(`${server.url}${path}`, { method: "POST", headers: { "content-type": "application/json", ...token }, body: text });
      expect(response.status, `${what}: ${await response.text()}`).toBeLessThan(300);
    }
    const found: unknown[] = [];
    for (const [query, input, member] of ask) found.push(memberOf(await daybook[query as keyof Pick<Daybook, "countEvents">](input as never), member));
    expect(found, what).toEqual(right);
    await server.close();
    handler.stop();
    await daybook.close();
  });
});

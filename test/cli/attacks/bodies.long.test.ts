import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { attacked, PAGE_KEY, WAYS, whileOthersAsk, WRITER } from "./attacked.js";

const MIB = 2 ** 20;
const ATTACK_MS = 6_000;
/** Two threads hold bodies of 64 MiB each; one body of as many values as may be is parsed at a time, and the collector is late. */
const MORE_BYTES = 384 * MIB;
const AT_ONCE_COUNT = 8;

/** As many copies of a text as are so many bytes, with commas. */
function many(item: string, byteLength: number): string {
  return `${`${item},`.repeat(Math.floor(byteLength / (item.length + 1)) - 1)}${item}`;
}

interface Body {
  readonly path: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}

const bearer = { authorization: `Bearer ${WRITER}` };
const page = { origin: "https://shop.example", "user-agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0" };
const BODIES: Readonly<Record<string, Body>> = {
  "millions of empty calls": { path: "/v1/batch", text: `{"batch":[${many("{}", 15 * MIB)}]}`, headers: bearer, status: 413 },
  "millions of empty events": { path: "/v1/events", text: `[${many("{}", 15 * MIB)}]`, headers: bearer, status: 413 },
  "millions of lines": { path: "/v1/events", text: "1\n".repeat(7 * MIB), headers: { ...bearer, "content-type": "application/x-ndjson" }, status: 413 },
  "millions of things of a client": { path: "/batch/", text: `{"api_key":"${WRITER}","batch":[${many("{}", MIB - 100)}]}`, status: 413 },
  "millions of lists in one event": { path: "/v1/events", text: `[{"name":"a","metadata":{"x":[${many("[]", 15 * MIB)}]}}]`, headers: bearer, status: 413 },
  "millions of names beside the list": { path: "/v1/events", text: `{"events":[],${Array.from({ length: 1_000_000 }, (_, at) => `"${at.toString(36)}":1`).join(",")}}`, headers: bearer, status: 413 },
  "lists in lists": { path: "/v1/events", text: `[${Array<string>(14).fill(`[${many("[]", MIB - 10)}]`).join(",")}]`, headers: bearer, status: 413 },
  "as many lists in lists as may be": { path: "/v1/events", text: `[${Array<string>(15).fill(`[${many("[]", 0.18 * MIB)}]`).join(",")}]`, headers: bearer, status: 200 },
  "as many bad calls as may be": { path: "/v1/batch", text: `{"batch":[${Array<string>(10_000).fill("{}").join(",")}]}`, headers: bearer, status: 200 },
  "as many bad views as may be": { path: "/v1/collect", text: `{"key":"${PAGE_KEY}","events":[${Array<string>(1_000).fill("0").join(",")}]}`, headers: page, status: 400 },
  "more bad views": { path: "/v1/collect", text: `{"key":"${PAGE_KEY}","events":[${many("0", 60_000)}]}`, headers: page, status: 413 },
};

test.each(WAYS.flatMap(([way, options]) => Object.entries(BODIES).map(([name, body]) => [name, way, options, body] as const)))("%s hold nobody up, %s.", async (_, __, options, { path, text, headers, status }) => {
  const server = await attacked(options);
  const body = gzipSync(text);
  const statuses = new Set<number>();
  const longest: number[] = [];
  const met = await whileOthersAsk(server, MORE_BYTES, async () => {
    const endMs = performance.now() + ATTACK_MS;
    const send = async () => {
      while (performance.now() < endMs) {
        const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method: "POST", headers: { ...headers, "content-encoding": "gzip" }, body });
        statuses.add(answer.status);
        longest.push((await answer.arrayBuffer()).byteLength);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE_COUNT }, send));
  });
  // Of what comes faster than it is judged some is refused for load.
  expect([...statuses].filter((each) => each !== 503 && each !== 429)).toEqual([status]);
  expect(Math.max(...longest)).toBeLessThan(64 * 1024);
  expect(new Set(met.health)).toEqual(new Set([200]));
  expect(met.isMuchMore).toBe(false);
});

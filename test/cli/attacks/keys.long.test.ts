import { expect, test } from "vitest";
import { quantile } from "../../../bench/load/load.js";
import { attacked, PAGE_KEY, TOKEN, WAYS, whileOthersAsk } from "./attacked.js";

const MIB = 2 ** 20;
/** So that some hundred thousand values are three quarters of what a store may hold: 40 MiB. */
const FLAGS = ["--max-old-space-size=160"];
const ADDRESS_COUNT = 10;
const BODIES_PER_ADDRESS = 55;
const EVENTS_PER_BODY = 16;
const VALUES_PER_EVENT = 25;
/** With all that a server of this heap takes while it is asked. */
const MORE_BYTES = 512 * MIB;

const BROWSER = { origin: "https://shop.example", "user-agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0" };

let made = 0;
const text = () => `${"ж".repeat(60)}${String((made += 1)).padStart(8, "0")}`;
const flood = () =>
  Array.from({ length: EVENTS_PER_BODY }, () => ({ name: "view", metadata: Object.fromEntries(Array.from({ length: VALUES_PER_EVENT }, (_, at) => [`flood${at}`, text()])) }));

test.each(WAYS)("Who has the key of a page fills no store with values and metadata keys, from whatever addresses, %s.", async (_, options) => {
  const server = await attacked(["--trust-proxy", "127.0.0.1/8", ...options], FLAGS);
  const at = `http://127.0.0.1:${server.port}`;
  const collect = async (address: string, events: readonly object[]) => {
    const headers = { ...BROWSER, "x-forwarded-for": address, "content-type": "text/plain" };
    const answer = await fetch(`${at}/v1/collect`, { method: "POST", headers, body: JSON.stringify({ key: PAGE_KEY, events }) });
    await answer.arrayBuffer();
    return answer.status;
  };
  const asked = async (path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const answer = await fetch(`${at}${path}`, body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, text: await answer.text() };
  };
  const statuses = new Set<number>();
  const met = await whileOthersAsk(server, MORE_BYTES, async () => {
    for (let address = 1; address <= ADDRESS_COUNT; address += 1) {
      for (let body = 0; body < BODIES_PER_ADDRESS; body += 1) statuses.add(await collect(`192.0.2.${address}`, flood()));
      statuses.add(await collect(`192.0.2.${address}`, [{ name: "view", metadata: Object.fromEntries(Array.from({ length: 300 }, (__, key) => [`key${address}-${key}`, 1])) }]));
    }
  });
  // Nothing is refused, but for load.
  expect([...statuses].filter((status) => status !== 429 && status !== 503)).toEqual([204]);
  expect([...new Set(met.health)]).toEqual([200]);
  expect(met.isMuchMore).toBe(false);

  const metrics = Object.fromEntries((await asked("/metrics")).text.split("\n").filter((line) => /^daybook_(?:collected_withheld|distinct|metadata)/.test(line)).map((line) => line.split(/ (?=\S+$)/)));
  process.stdout.write(`${JSON.stringify(metrics)}\n`);
  const figure = (name: string) => Number(metrics[name]);
  expect(figure('daybook_collected_withheld_total{part="value"}')).toBeGreaterThan(10_000);
  expect(figure('daybook_collected_withheld_total{part="key"}')).toBeGreaterThan(2_000);
  expect(figure("daybook_metadata_keys")).toBeLessThanOrEqual(200);
  const share = figure("daybook_distinct_value_bytes") / figure("daybook_distinct_value_bytes_max");
  expect([share > 0.75, share < 0.77]).toEqual([true, true]);

  // Whoever has a secret goes on, with new values of every kind; and so do pages, with what is known.
  const order = { name: "Order", project: "shop", url: "/new-of-server", userId: "new-user", metadata: { fresh: "new", title: "Known" } };
  expect(await asked("/v1/events", [order])).toMatchObject({ status: 200, text: expect.stringContaining('"accepted":1') as string });
  expect(await collect("198.51.100.7", [{ name: "view", url: "https://shop.example/new-of-server", title: "Known", id: "last" }])).toBe(204);
  const filterGroups = [{ filters: [{ fieldName: "url", operator: "=", value: "/new-of-server" }] }];
  const { answer } = JSON.parse((await asked("/v1/query/searchEvents", { project: "shop", filterGroups })).text) as { answer: { events: { name: string; metadata: unknown }[] } };
  expect(answer.events.map(({ name, metadata }) => [name, metadata])).toEqual(expect.arrayContaining([["view", { title: "Known" }], ["Order", { fresh: "new", title: "Known" }]]));

  const latenciesMs: number[] = [];
  let told = "";
  for (let count = 0; count < 300; count += 1) {
    const startedMs = performance.now();
    told = await (await fetch(`${at}/healthz`)).text();
    latenciesMs.push(performance.now() - startedMs);
  }
  const p99Ms = quantile(latenciesMs, 0.99);
  process.stdout.write(`${JSON.stringify({ healthP99Ms: Math.round(p99Ms) })}\n`);
  expect(JSON.parse(told)).toEqual({ status: "ok", distinct_values: "over_reserve" });
});

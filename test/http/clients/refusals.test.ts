import { describe, expect, it } from "vitest";
import { sliceOf } from "../../oracle/settings.js";
import { serving, TOKEN } from "./kit.js";
import type { Serving } from "./kit.js";

const MIB = 1024 * 1024;

interface Talk {
  readonly path: string;
  /** A whole request with a key; undefined: none. */
  readonly body: (key: string | undefined, extra?: object) => string;
  readonly headers?: (key: string | undefined) => Record<string, string>;
}

const json = (value: unknown) => JSON.stringify(value);
const form = (value: unknown) => `data=${Buffer.from(json(value)).toString("base64")}`;
const FORM = () => ({ "content-type": "application/x-www-form-urlencoded" });

const TALKS: Readonly<Record<string, Talk>> = {
  posthog: { path: "/batch/", body: (key, extra) => json({ api_key: key, batch: [{ event: "a", distinct_id: "u", uuid: "1" }], ...extra }) },
  amplitude: { path: "/2/httpapi", body: (key, extra) => json({ api_key: key, events: [{ event_type: "a", user_id: "u", insert_id: "1" }], ...extra }) },
  umami: { path: "/api/send", body: (key, extra) => json({ type: "event", payload: { website: key, name: "a" }, ...extra }) },
  openpanel: {
    path: "/track",
    body: (_, extra) => json({ type: "track", payload: { name: "a" }, ...extra }),
    headers: (key) => (key === undefined ? {} : { "openpanel-client-secret": key }),
  },
  mixpanel: { path: "/import", body: (key, extra) => form([{ event: "a", properties: { token: key, distinct_id: "u", ...extra } }]), headers: FORM },
  "mixpanel people": { path: "/engage", body: (key, extra) => form([{ $token: key, $distinct_id: "u", $set: { a: 1 }, ...extra }]), headers: FORM },
};

/** What keys get; the first is taken. */
const KEYS: readonly (readonly [key: string | undefined, status: number, reason?: string])[] = [
  [TOKEN, 200],
  [undefined, 401, "missing_token"],
  ["", 401, "missing_token"],
  ["sk_unknown_0123456789abcdefgh", 401, "invalid_token"],
  ["pk_pages_0123456789", 401, "invalid_token"],
  ["sk_reads_0123456789abcdefgh", 403, "insufficient_scope"],
];
const UNREADABLE = [`{"api_key":${TOKEN}}`, `data=${TOKEN}%`, TOKEN, `["${TOKEN}"]`];

/** Asks, and sees that no key is told. */
async function ask(there: Serving, { path, headers = () => ({}) }: Talk, key: string | undefined, text: string) {
  const response = await fetch(`${there.url}${path}`, { method: "POST", headers: { "content-type": "application/json", ...headers(key) }, body: text });
  const answer = await response.text();
  expect(answer).not.toContain("sk_");
  const { reason, code } = JSON.parse(answer) as Record<string, unknown>;
  return { status: response.status, reason, code };
}

const countOf = async (there: Serving) => (await there.events()).length + (await there.records()).length;

describe.each(Object.entries(TALKS))("a request of %s", (_, talk) => {
  it("is taken by its key alone, and what cannot be read is refused without a word of it", async () => {
    const there = await serving();
    for (const [key, status, reason] of KEYS) {
      const found = await ask(there, talk, key, talk.body(key));
      expect([key, found.status, found.reason]).toEqual([key, status, reason]);
      if (status !== 200) expect(found.code).toBe(status);
      expect(await countOf(there)).toBe(1);
    }
    for (const text of UNREADABLE) {
      const { status } = await ask(there, talk, TOKEN, text);
      expect([text, status >= 400 && status < 500]).toEqual([text, true]);
    }
    expect(await countOf(there)).toBe(1);
    expect(json(there.answered)).not.toContain("sk_");
    expect(there.answered.map(({ route }) => route)).toEqual(Array(KEYS.length + UNREADABLE.length).fill(talk.path));
  });
});

it.each(sliceOf(["posthog", "mixpanel people"], 2))("A request of %s that is too large is refused.", async (name) => {
  const there = await serving();
  const talk = TALKS[name] as Talk;
  const answer = await ask(there, talk, TOKEN, talk.body(TOKEN, { padding: "x".repeat(16 * MIB) }));
  expect(answer).toMatchObject({ status: 413, reason: "body_too_large" });
});

describe("a key for events alone", () => {
  it("stores no records, and nothing that comes with them", async () => {
    const there = await serving();
    const batch = [{ event: "a", distinct_id: "u", uuid: "1" }, { event: "$identify", distinct_id: "u", uuid: "2", properties: { $set: { a: 1 } } }];
    const send = (items: object[]) => fetch(`${there.url}/batch/`, { method: "POST", body: json({ api_key: "sk_events_0123456789abcdefgh", batch: items }) });
    expect([(await send(batch)).status, (await there.events()).length]).toEqual([403, 0]);
    expect([(await send(batch.slice(0, 1))).status, (await there.events()).length]).toEqual([200, 1]);
  });

  it("is the same for all that is sent together", async () => {
    const there = await serving();
    const events = [TOKEN, "sk_events_0123456789abcdefgh"].map((token) => ({ event: "a", properties: { token } }));
    const response = await fetch(`${there.url}/track`, { method: "POST", headers: FORM(), body: form(events) });
    expect([response.status, (await there.events()).length]).toEqual([401, 0]);
  });
});

it("What is asked by HEAD is not stored.", async () => {
  const there = await serving();
  const data = encodeURIComponent(Buffer.from(json({ event: "a", properties: { token: TOKEN } })).toString("base64"));
  expect((await fetch(`${there.url}/track?data=${data}`, { method: "HEAD" })).status).toBe(405);
  expect((await fetch(`${there.url}/track?data=${data}`)).status).toBe(200);
  expect(await there.events()).toHaveLength(1);
});

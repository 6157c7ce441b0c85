import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/base/hash.js";
import { uuidText, writeUuidOfText } from "../../../src/core/base/uuid.js";
import { serving, TOKEN } from "./kit.js";
import type { Serving } from "./kit.js";

const TIME_SEC = 1_790_000_000;
const form = (value: unknown) => `data=${Buffer.from(JSON.stringify(value)).toString("base64")}`;

async function post({ url }: Serving, path: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "application/x-www-form-urlencoded" : "application/json";
  const response = await fetch(`${url}${path}`, { method: "POST", headers: { "content-type": type, ...headers }, body: text });
  return { status: response.status, text: await response.text() };
}

const umami = (ip: string) => ({ type: "event", payload: { website: TOKEN, name: "a", timestamp: TIME_SEC, ip, userAgent: "UA" } });

describe("an address", () => {
  it("that a program names in a header tells visitors apart, who have one connection", async () => {
    const there = await serving();
    const body = { type: "track", payload: { name: "buy" } };
    for (const ip of ["203.0.113.1", "203.0.113.2", "203.0.113.2"]) await post(there, "/track", body, { "openpanel-client-secret": TOKEN, "x-client-ip": ip });
    expect([(await there.events()).length, await there.daybook.countUniqueUsers({})]).toEqual([3, 2]);
  });

  it("is no part of an id: whoever guesses it cannot find out by the id", async () => {
    const there = await serving();
    const [payload, ip] = [{ name: "a", properties: { __timestamp: new Date(TIME_SEC * 1_000).toISOString() } }, "203.0.113.77"];
    await post(there, "/track", { type: "track", payload }, { "openpanel-client-secret": TOKEN, "x-client-ip": ip });
    const [stored] = await there.events();
    const bytes = new Uint8Array(16);
    for (const guess of [["track", payload], ["track", payload, ip]]) {
      writeUuidOfText(sha256Hex(`shop\0${1}\0${JSON.stringify(guess)}`), bytes, 0);
      expect(uuidText(bytes, 0)).not.toBe(stored?.id);
    }
  });

  it("changes no id of what says who and when it was", async () => {
    const there = await serving();
    const [user, time] = [{ user_id: "u", event_type: "a" }, TIME_SEC * 1_000];
    for (const ip of ["203.0.113.1", "203.0.113.2"]) {
      await post(there, "/2/httpapi", { api_key: TOKEN, events: [{ ...user, time, ip }] });
      await post(there, "/batch/", { api_key: TOKEN, batch: [{ event: "a", distinct_id: "u", timestamp: time, properties: { $ip: ip } }] });
    }
    expect(await there.events()).toHaveLength(2);
  });

  it("of visitors who say the same at the same second tells them apart", async () => {
    const there = await serving();
    for (const ip of ["203.0.113.1", "203.0.113.2", "203.0.113.2"]) await post(there, "/api/send", umami(ip));
    expect([(await there.events()).length, await there.daybook.countUniqueUsers({ startDate: "2026-01-01" })]).toEqual([3, 2]);
  });

  it("is no trait", async () => {
    const there = await serving();
    const ip = "203.0.113.9";
    await post(there, "/track", { type: "identify", payload: { profileId: "a", properties: { __ip: ip, plan: "x" } } }, { "openpanel-client-secret": TOKEN });
    await post(there, "/engage", form([{ $token: TOKEN, $distinct_id: "b", $ip: ip, $set: { $ip: ip, plan: "x" }, $set_once: { $ip: ip } }]));
    await post(there, "/batch/", { api_key: TOKEN, batch: [{ event: "$set", distinct_id: "c", uuid: "1", properties: { $set: { $ip: ip, plan: "x" } } }] });
    await post(there, "/api/send", { type: "identify", payload: { website: TOKEN, id: "d", data: { $ip: ip, plan: "x" } } });
    const records = await there.records();
    expect(records).toHaveLength(4);
    expect(JSON.stringify(records)).not.toContain(ip);
  });
});

import { describe, expect, it } from "vitest";
import { PAGE_KEY, serving, TOKEN } from "./kit.js";
import type { Serving } from "./kit.js";

const post = ({ url }: Serving, path: string, body: object) =>
  fetch(`${url}${path}`, { method: "POST", headers: { origin: "https://shop.example", "user-agent": "Firefox/130.0" }, body: JSON.stringify(body) });

describe("a client", () => {
  it("may call events what every object has", async () => {
    const there = await serving();
    const names = ["__proto__", "constructor", "toString", "valueOf"];
    const batch = names.map((event) => ({ event, distinct_id: "u", uuid: event }));
    expect((await post(there, "/batch/", { api_key: TOKEN, batch })).status).toBe(200);
    expect((await there.events()).map(({ name }) => name).sort()).toEqual(names);
  });

  it("tells an amount only where it is a number: no product that is none, nor null, nor words", async () => {
    const there = await serving();
    const events = [{ event_type: "a", user_id: "u", insert_id: "1", price: 1e308, quantity: 100 }];
    expect((await post(there, "/2/httpapi", { api_key: TOKEN, events })).status).toBe(200);
    for (const amount of [null, "", "much", {}, "49.5"])
      expect((await post(there, "/api/event", { d: PAGE_KEY, n: "buy", u: "https://shop.example/", $: { amount, currency: "EUR" } })).status).toBe(204);
    expect((await there.events()).map(({ value }) => value).filter((value) => value !== undefined)).toEqual([49.5]);
  });
});

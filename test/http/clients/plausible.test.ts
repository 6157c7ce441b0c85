import Plausible from "plausible-tracker";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PAGE_KEY, serving } from "./kit.js";
import type { Serving } from "./kit.js";

const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0";

/** As much of a page as the script asks for. What it sent is answered once the returned function resolves. */
function page(address: string, origin = "https://shop.example"): () => Promise<Response[]> {
  const answers: Promise<Response>[] = [];
  class Request {
    readyState = 0;
    onreadystatechange: (() => void) | null = null;
    #url = "";
    open(_: string, url: string) {
      this.#url = url;
    }
    setRequestHeader() {
      // What it says is what is sent below.
    }
    send(body: string) {
      const sent = fetch(this.#url, { method: "POST", headers: { "content-type": "text/plain", origin, "user-agent": FIREFOX }, body });
      answers.push(sent);
      void sent.then(() => {
        this.readyState = 4;
        this.onreadystatechange?.();
      });
    }
  }
  vi.stubGlobal("location", new URL(address));
  vi.stubGlobal("document", { referrer: "https://news.example/" });
  vi.stubGlobal("window", { innerWidth: 800, localStorage: {} });
  vi.stubGlobal("XMLHttpRequest", Request);
  onTestFinished(() => void vi.unstubAllGlobals());
  return () => Promise.all(answers);
}

function trackerOf({ url }: Serving, options: object = {}) {
  return Plausible({ domain: PAGE_KEY, apiHost: url, ...options });
}

describe("plausible-tracker", () => {
  it("sends views and events by a public key", async () => {
    const there = await serving();
    const answered = page("https://shop.example/pricing?utm_source=news");
    const { trackPageview, trackEvent } = trackerOf(there);
    trackPageview();
    await new Promise<void>((resolve) => trackEvent("Signup", { props: { plan: "pro" }, callback: () => resolve() }));
    expect((await answered()).map(({ status, headers }) => [status, headers.get("access-control-allow-origin")])).toEqual(Array(2).fill([204, "https://shop.example"]));
    const events = await there.events();
    expect(events.find(({ name }) => name === "pageview")).toMatchObject({
      url: "/pricing?utm_source=news", hostname: "shop.example", referrer: "https://news.example/", browser: "Firefox", project: "shop", metadata: { width: 800 },
    });
    expect(events.find(({ name }) => name === "Signup")).toMatchObject({ metadata: { plan: "pro" } });
    expect([events.length, await there.daybook.countUniqueUsers({})]).toEqual([2, 1]);
  });

  it("tells pages apart by what follows # where it is told to", async () => {
    const there = await serving();
    const answered = page("https://shop.example/#/cart");
    trackerOf(there, { hashMode: true }).trackPageview();
    await answered();
    expect((await there.events()).map(({ url }) => url)).toEqual(["/#/cart"]);
  });

  it("is refused from another origin, and so is another key", async () => {
    const there = await serving();
    const answered = page("https://evil.example/", "https://evil.example");
    trackerOf(there).trackPageview();
    trackerOf(there, { domain: "shop.example" }).trackPageview();
    expect((await answered()).map(({ status }) => status)).toEqual([403, 401]);
    expect(await there.events()).toEqual([]);
  });

  it("of revenue and long names the server takes what newer scripts send; no script sends anything again, so the same bytes are several events", async () => {
    const there = await serving();
    const body = JSON.stringify({ domain: PAGE_KEY, name: "Order", url: "https://shop.example/", revenue: { amount: "49.5", currency: "USD" }, props: '{"a":1}' });
    const send = (text: string) => fetch(`${there.url}/api/event`, { method: "POST", headers: { origin: "https://shop.example", "user-agent": FIREFOX }, body: text });
    there.faults.push("500 after");
    expect([(await send(body)).status, (await send(body)).status]).toEqual([500, 204]);
    expect((await send(body.replace('"a\\":1', '"a\\":1 ').replace('"{', '" {'))).status).toBe(204);
    expect((await send(JSON.stringify({ d: PAGE_KEY, n: "x", p: "{" }))).status).toBe(400);
    expect((await there.events()).map(({ value, currency, metadata }) => [value, currency, metadata])).toEqual(Array(3).fill([49.5, "USD", { a: 1 }]));
  });
});

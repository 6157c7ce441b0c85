import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { inject } from "vitest";
import { fixedClock } from "../../../src/core/base/time.js";
import { createHandler, loadUserAgentParser, loadBotTest, memoryTokens } from "../../../src/http/index.js";
import { memoryStorage, openDaybook } from "../../../src/index.js";
import { listen } from "../../../src/platform/node/index.js";
import { launchChromium } from "../chromium.js";
import { Site } from "./pages.js";
import { countryOf } from "./people.js";
import { Proxy } from "./proxy.js";

/** A Daybook that is served, a proxy before it, a site that is measured, and a browser. Their clock is one, and stands still until it is moved. */
export interface World {
  readonly proxy: Proxy;
  readonly site: Site;
  readonly browser: Browser;
  nowMs(): number;
  setNow(nowMs: number): void;
  /** Asks a route, as a token of the project. */
  ask<T>(route: string, body: object): Promise<T>;
  close(): Promise<void>;
}

export async function openWorld(startMs: number): Promise<World> {
  const clock = fixedClock(startMs);
  const daybook = await openDaybook({ storage: memoryStorage(), clock });
  const [parseUserAgent, isBot, text] = await Promise.all([loadUserAgentParser(), loadBotTest(), readFile(join(inject("programs"), "daybook.js"), "utf8")]);
  const origins: string[] = [];
  const much = 1_000_000;
  const rates = { perSec: much, burst: much, perAddressPerSec: much, perAddressBurst: much };
  const handler = createHandler({
    organizations: { default: daybook },
    tokens: {
      // The origin of the site is known only when it listens, and the address in its pages only when Daybook does.
      find: (hash) => memoryTokens([
        { token: "sk_reader_0123456789abcdefgh", role: "viewer", project: "site", scopes: ["analytics:read"] },
        { token: "pk_plain", project: "site", public: { origins } },
        { token: "pk_ids", project: "site", public: { origins, ids: ["anonymous", "user"] } },
      ]).find(hash),
    },
    clock,
    parseUserAgent,
    collect: { isBot, ...rates, locate: (address) => ({ country: countryOf(address) }) },
    trustProxy: ["127.0.0.1"],
    files: { tracker: { text, gzip: null } },
  });
  const server = await listen(handler);
  const proxy = new Proxy(server.url);
  await proxy.start();
  const site = new Site(proxy.url, clock.now);
  const [browser] = await Promise.all([launchChromium(), site.start()]);
  origins.push(site.url);
  return {
    proxy,
    site,
    browser,
    nowMs: clock.now,
    setNow: clock.set,
    ask: async <T>(route: string, body: object) => {
      const headers = { authorization: "Bearer sk_reader_0123456789abcdefgh", "content-type": "application/json" };
      const answer = await fetch(`${server.url}${route}`, { method: "POST", headers, body: JSON.stringify(body) });
      if (answer.status !== 200) throw new Error(`${route}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as T;
    },
    close: async () => {
      await browser.close();
      proxy.stop();
      site.stop();
      await server.close();
      await daybook.close();
    },
  };
}

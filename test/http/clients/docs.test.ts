import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as amplitudeFields from "../../../src/http/clients/amplitude.js";
import * as mixpanelFields from "../../../src/http/clients/mixpanel.js";
import * as openpanelFields from "../../../src/http/clients/openpanel.js";
import { COMPANY_TYPES } from "../../../src/http/clients/people.js";
import { PLAUSIBLE_NAMES } from "../../../src/http/clients/plausible.js";
import * as posthogFields from "../../../src/http/clients/posthog.js";
import { clientRoutes } from "../../../src/http/routes/clients.js";
import * as umamiFields from "../../../src/http/clients/umami.js";
import { ROOT } from "../../cli/run.js";
import { PAGE_KEY, serving, TOKEN } from "./kit.js";

const page = readFileSync(join(ROOT, "docs/guide/clients.md"), "utf8");
const blocks = [...page.matchAll(/^```ts (\S+)\n([^]*?)^```/gm)].map(([, library = "", text = ""]) => [library, text] as const);

/** Every name that code has for a member of a client. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "posthog-node": [...Object.keys(posthogFields.POSTHOG_FIELDS), ...posthogFields.POSTHOG_DROPPED],
  "@amplitude/analytics-node": [...Object.keys(amplitudeFields.AMPLITUDE_FIELDS), ...amplitudeFields.AMPLITUDE_DROPPED, ...Object.keys(amplitudeFields.AMPLITUDE_PROPERTIES)],
  mixpanel: [...Object.keys(mixpanelFields.MIXPANEL_FIELDS), ...mixpanelFields.MIXPANEL_DROPPED],
  "@umami/node": [...Object.keys(umamiFields.UMAMI_FIELDS), ...umamiFields.UMAMI_DROPPED],
  "@openpanel/sdk": [...Object.keys(openpanelFields.OPENPANEL_FIELDS), ...openpanelFields.OPENPANEL_DROPPED],
  "plausible-tracker": Object.values(PLAUSIBLE_NAMES),
};
/** Told in the part about what counts once, or about the key, of all clients. */
const ELSEWHERE = ["insert_id", "$insert_id", "time", "website", "d"];

describe("docs/guide/clients.md", () => {
  it.each(Object.entries(NAMES))("has every member of %s in its table", (library, names) => {
    const section = page.slice(page.indexOf(`\n## ${library}\n`)).split(/\n## /)[1] ?? "";
    expect(section.length).toBeGreaterThan(300);
    expect(names.filter((name) => !section.includes(`\`${name}\``) && !ELSEWHERE.includes(name))).toEqual([]);
  });

  it("names every route and every kind of company", () => {
    expect([...new Set(clientRoutes.map(({ path }) => path))].filter((path) => !page.includes(path))).toEqual([]);
    expect(COMPANY_TYPES.filter((type) => !page.includes(`\`${type}\``))).toEqual([]);
  });

  it.each(blocks)("points %s at Daybook in three lines", async (library, text) => {
    const there = await serving();
    expect(text.trim().split("\n")).toHaveLength(3);
    const [, names = "", from = ""] = /^import (.+) from "(.+)";$/m.exec(text) ?? [];
    expect(from).toBe(library);
    const module = (await import(from)) as Record<string, unknown>;
    const values: Record<string, unknown> = { URL: there.url, HOST: there.host, TOKEN, KEY: PAGE_KEY };
    for (const name of names.replaceAll(/[{} ]/g, "").split(",")) values[name] = names.startsWith("{") ? module[name] : module["default"];
    if (library === "plausible-tracker") fakePage();
    const body = text.replace(/^import .*\n/, "");
    const run = runInThisContext(`(async ({ ${Object.keys(values).join(", ")} }) => { ${body}; return typeof client === "undefined" ? null : client; })`) as (values: object) => Promise<unknown>;
    const client = (await run(values)) as { shutdown?: () => Promise<void> } | null;
    await client?.shutdown?.();
    const flush = library === "@amplitude/analytics-node" ? (module["flush"] as () => { promise: Promise<void> }) : null;
    await vi.waitFor(async () => {
      await flush?.().promise;
      expect((await there.events()).map(({ name }) => name)).toEqual(["Signup"]);
    }, 5_000);
  });

  it("shows all of them", () => {
    expect(blocks.map(([library]) => library).sort()).toEqual(Object.keys(NAMES).sort());
  });
});

function fakePage(): void {
  class Request {
    #url = "";
    open(_: string, url: string) {
      this.#url = url;
    }
    setRequestHeader() {
      // What it says is what is sent below.
    }
    send(body: string) {
      void fetch(this.#url, { method: "POST", headers: { "content-type": "text/plain", origin: "https://shop.example" }, body }).catch(() => undefined);
    }
  }
  const globals = { location: new URL("https://shop.example/"), document: { referrer: "" }, window: { innerWidth: 800, localStorage: {} }, XMLHttpRequest: Request };
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  onTestFinished(() => void vi.unstubAllGlobals());
}

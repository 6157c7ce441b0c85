import { beforeAll, describe, expect, test, vi } from "vitest";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as route from "../../examples/nextjs/app/api/stats/[...path]/route.js";
import type * as library from "../../examples/nextjs/lib/daybook.js";
import { fileStorage } from "../../src/platform/node/index.js";
import { openDaybook } from "../../src/index.js";
import { TOKEN } from "./served.js";

type Library = typeof library;
type Route = typeof route;

describe("examples/nextjs through hot reloads", () => {
  const kept = globalThis as { analytics?: ReturnType<Library["analytics"]> };
  let directory = "";
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "daybook-test-"));
    vi.stubEnv("DAYBOOK_DATA", directory);
    vi.stubEnv("DAYBOOK_TOKEN", TOKEN);
    return async () => {
      await (await kept.analytics)?.daybook.close();
      delete kept.analytics;
      await rm(directory, { recursive: true, force: true });
    };
  });

  /** What a hot reload does: the same module, evaluated anew. */
  async function evaluated<Module>(load: () => Promise<unknown>): Promise<Module> {
    vi.resetModules();
    return (await load()) as Module;
  }

  test("has one store, however often its modules are evaluated, and a second opening says who has it", async () => {
    const load = () => import("../../examples/nextjs/lib/daybook.js");
    const first = await evaluated<Library>(load);
    const second = await evaluated<Library>(load);
    expect(second.analytics).not.toBe(first.analytics);
    const [one, two] = await Promise.all([first.analytics(), second.analytics()]);
    expect(two.daybook).toBe(one.daybook);
    await expect(openDaybook({ storage: fileStorage(directory) })).rejects.toMatchObject({
      code: "store_locked",
      message: expect.stringContaining(`this process (pid ${process.pid})`) as unknown,
    });
  });

  test("answers the routes of Daybook from each version of the route", async () => {
    const load = () => import("../../examples/nextjs/app/api/stats/[...path]/route.js");
    const ask = async ({ POST }: Route, path: string, body: object) => {
      const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
      const response = await POST(new Request(`http://localhost/api/stats${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
      return [response.status, await response.json()] as const;
    };
    expect(await ask(await evaluated<Route>(load), "/v1/track", { event: "order", userId: "ada" })).toMatchObject([200, { accepted: 1 }]);
    expect(await ask(await evaluated<Route>(load), "/analytics/count-events", {})).toEqual([200, { status: "OK", data: 1 }]);
    const { GET } = await evaluated<Route>(load);
    expect((await GET(new Request("http://localhost/api/stats/healthz?a=1"))).status).toBe(400);
    expect((await GET(new Request("http://localhost/api/stats/healthz"))).status).toBe(200);
  });
});

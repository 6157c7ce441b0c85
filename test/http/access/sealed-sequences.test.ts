import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectDaybook } from "../../../src/client/index.js";
import { fixedClock, memoryStorage, openDaybook } from "../../../src/index.js";
import type { Daybook } from "../../../src/index.js";
import { memoryTokens } from "../../../src/http/index.js";
import type { Handler } from "../../../src/http/index.js";
import { SealedSequences } from "../../../src/http/access/sealed-sequences.js";
import { handlerOf, NOW_MS, requestOf, send } from "../kit.js";

const createdAt = NOW_MS - 60_000;
const tokens = memoryTokens([
  { token: "sk_owner_0123456789abcdefgh", role: "owner", scopes: ["*"] },
  { token: "sk_shop_0123456789abcdefgh", role: "owner", scopes: ["*"], project: "shop" },
  { token: "sk_blog_0123456789abcdefgh", role: "owner", scopes: ["*"], project: "blog" },
]);
let storage = memoryStorage();
let daybook: Daybook;
let handler: Handler;

async function open(): Promise<void> {
  daybook = await openDaybook({ storage, clock: fixedClock(NOW_MS) });
  handler = handlerOf(daybook, { tokens });
}

beforeEach(async () => {
  storage = memoryStorage();
  await open();
  await write("shop", 3);
});
afterEach(() => daybook.close());

async function write(project: string, count: number): Promise<void> {
  await daybook.ingest(Array.from({ length: count }, () => ({ name: "a", project, createdAt })));
}

const trend = (asOf: unknown, token = "sk_shop_0123456789abcdefgh", project = "shop") =>
  send(handler, `/v1/projects/${project}/insights/trend`, { body: { interval: "total", as_of: asOf }, token });
const query = (asOf: unknown, token = "sk_shop_0123456789abcdefgh") => send(handler, "/v1/query/trend", { body: { interval: "total", asOf }, token });
const latest = async (token?: string) => (await trend("latest", token)).json["as_of"] as number;

describe("as_of of a token of a project", () => {
  it("is another number than the store's, which changes with the project alone", async () => {
    const first = await latest();
    await write("site", 5);
    expect(await latest()).toBe(first);
    expect((await query("latest")).json["answer"]).toMatchObject({ asOf: first });
    await write("shop", 1);
    const second = await latest();
    expect([first, second]).not.toContain(await latest("sk_owner_0123456789abcdefgh"));
    expect(second).not.toBe(first);
    // Neither greater by what came, nor of the same form as for another project.
    expect(Math.abs(second - first)).toBeGreaterThan(1_000);
    await write("blog", 1);
    expect((await trend("latest", "sk_blog_0123456789abcdefgh", "blog")).json["as_of"]).not.toBe(await latest());
  });

  it("is taken on every route that takes it, and by the client, also by who opens the store again", async () => {
    const { as_of: asOf, series } = (await trend("latest")).json;
    await write("shop", 2);
    await daybook.close();
    await open();
    const client = connectDaybook({ url: "http://daybook.test", token: "sk_shop_0123456789abcdefgh", fetch: handler });
    const again = { asOf, series };
    expect((await trend(asOf)).json).toMatchObject({ as_of: asOf, series });
    expect((await query(asOf)).json["answer"]).toMatchObject(again);
    expect(await client.trend({ interval: "total", asOf: asOf as number })).toMatchObject(again);
    expect((await client.trend({ interval: "total", asOf: "latest" })).asOf).not.toBe(asOf);
  });

  it("is none that was made up, or of somebody else, and what is said of these names no sequence", async () => {
    await write("blog", 1);
    const own = await latest("sk_owner_0123456789abcdefgh");
    const others = (await trend("latest", "sk_blog_0123456789abcdefgh", "blog")).json["as_of"];
    const details = new Set<unknown>();
    for (const asOf of [0, 1, own, own + 1, 4_294_967_295, 2 ** 52, others]) {
      for (const { status, json } of [await trend(asOf), await query(asOf)]) {
        expect([asOf, status, json["code"]]).toEqual([asOf, 400, "invalid_parameter"]);
        details.add(String(json["detail"]).replace("as_of", "asOf"));
      }
    }
    expect([...details]).toEqual(["asOf: expected latest, or a number from an answer to a token of this project"]);
    expect((await trend(own, "sk_owner_0123456789abcdefgh")).status).toBe(200);
  });

  it("of a store that has not come so far is refused in the same words", async () => {
    const ahead = new SealedSequences({ ...daybook, [Symbol.for("daybook.sequences")]: () => ({ ...sequencesOf(daybook), newestOf: () => 1e6 }) } as never, "shop").seal(9_999);
    const { status, json } = await trend(ahead);
    expect([status, json["detail"]]).toEqual([400, "as_of: expected latest, or a number from an answer to a token of this project"]);
  });
});

function sequencesOf(of: Daybook): object {
  return (of as unknown as Record<symbol, () => object>)[Symbol.for("daybook.sequences")]?.() ?? {};
}

describe("changes to a token of a project", () => {
  async function* heard(token: string, project: string, lastId?: string): AsyncGenerator<string> {
    const headers = lastId === undefined ? {} : { "last-event-id": lastId };
    const { body } = await handler(requestOf(`/v1/projects/${project}/changes`, { method: "GET", token, headers }));
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    try {
      for (;;) yield new TextDecoder().decode((await reader.read()).value);
    } finally {
      await reader.cancel();
    }
  }
  /** Ids of the first changes, once the stream has begun. */
  async function ids(stream: AsyncGenerator<string>, act: () => Promise<void>): Promise<string> {
    expect((await stream.next()).value).toContain("retry:");
    await act();
    const id = /^id: (\d+)\n/.exec(String((await stream.next()).value))?.[1] ?? "none";
    await stream.return(undefined);
    return id;
  }

  it("have sealed numbers, which as_of takes", async () => {
    const id = await ids(heard("sk_shop_0123456789abcdefgh", "shop"), () => write("shop", 1));
    expect([Number(id), (await trend(Number(id))).status]).toEqual([await latest(), 200]);
    expect(await ids(heard("sk_owner_0123456789abcdefgh", "shop"), () => write("shop", 1))).toBe(String(await latest("sk_owner_0123456789abcdefgh")));
  });

  it("are not told to who comes back while others wrote, and are after its own", async () => {
    const id = await ids(heard("sk_shop_0123456789abcdefgh", "shop"), () => write("shop", 1));
    await write("site", 4);
    const stream = heard("sk_shop_0123456789abcdefgh", "shop", id);
    const first = ids(stream, () => Promise.resolve());
    expect(await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 400, "nothing"))])).toBe("nothing");
    await write("shop", 1);
    expect(Number(await first)).toBe(await latest());
    for (const missed of [id, "7", "9007199254740991"]) expect(Number(await ids(heard("sk_shop_0123456789abcdefgh", "shop", missed), () => Promise.resolve()))).toBe(await latest());
  });
});

describe("a cursor", () => {
  const page = (body: object = {}, etag?: string) =>
    send(handler, "/search-events", { body: { limit: 2, ...body }, token: "sk_shop_0123456789abcdefgh", ...(etag === undefined ? {} : { headers: { "if-none-match": etag } }) });

  it("of a token of a project is the same, and its page has the same entity tag, whatever others wrote", async () => {
    const first = await page();
    const etag = first.headers.get("etag") ?? "";
    await write("site", 7);
    expect((await page({}, etag)).status).toBe(304);
    await write("shop", 1);
    expect((await page({ cursor: first.json["cursor"] })).json).toMatchObject({ cursor: null, events: [{ name: "a" }] });
    expect((await page({}, etag)).status).toBe(200);
  });
});

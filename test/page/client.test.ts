import { afterEach, describe, expect, test, vi } from "vitest";
import { ApiClient, followChanges, ApiError } from "../../src/page/api/client.js";
import { get } from "../../src/page/api/queries.js";

const question = get<{ readonly n: number }>("/v1/n");
const never = new AbortController().signal;

/** What was asked, and how it is answered. */
function stubFetch(answer: (request: Request) => Response | Promise<Response>): Request[] {
  const asked: Request[] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    const request = new Request(url, init);
    asked.push(request);
    return await answer(request);
  });
  return asked;
}

function clientOf(onSignedOut = () => undefined as void): ApiClient {
  return new ApiClient("http://here", "sk_1_0123456789abcdefgh", onSignedOut);
}

describe("the client of the page", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("asks once for all who wait, and not again until something is stored", async () => {
    let n = 0;
    const asked = stubFetch(() => Response.json({ n: (n += 1) }));
    const client = clientOf();
    expect(await Promise.all([client.query(question, never), client.query(question, never)])).toEqual([{ n: 1 }, { n: 1 }]);
    expect(client.cached(question)).toEqual({ answer: { n: 1 }, isFresh: true });
    client.invalidate();
    expect(client.cached(question)).toEqual({ answer: { n: 1 }, isFresh: false });
    expect(await client.query(question, never)).toEqual({ n: 2 });
    expect(asked.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer sk_1_0123456789abcdefgh", "Bearer sk_1_0123456789abcdefgh"]);
    expect(asked.every(({ url }) => !url.includes("sk_1_0123456789abcdefgh"))).toBe(true);
  });

  test("hears of names that nothing has", async () => {
    const header = 'unknown_field; param="filter_groups[0].filters[0].field_name"; name="pl%22na", more; count=2';
    stubFetch(() => Response.json({ n: 1 }, { headers: { "daybook-notice": header } }));
    const client = clientOf();
    expect(client.unknownNames(question)).toEqual([]);
    await client.query(question, never);
    expect(client.unknownNames(question)).toEqual(['pl"na']);
  });

  test("keeps the newer of two answers, whichever comes first", async () => {
    const waiting: ((response: Response) => void)[] = [];
    stubFetch(() => new Promise((resolve) => waiting.push(resolve)));
    const client = clientOf();
    const older = client.query(question, never);
    client.invalidate();
    const newer = client.query(question, never);
    waiting[1]?.(Response.json({ n: 2 }));
    await newer;
    waiting[0]?.(Response.json({ n: 1 }));
    await older;
    expect(client.cached(question)).toEqual({ answer: { n: 2 }, isFresh: true });
  });

  test("breaks off what nobody waits for any more, and nothing else", async () => {
    const signals: AbortSignal[] = [];
    stubFetch((request) => {
      signals.push(request.signal);
      return new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new DOMException("left", "AbortError"))));
    });
    const client = clientOf();
    const [first, second] = [new AbortController(), new AbortController()];
    const answers = [client.query(question, first.signal), client.query(question, second.signal)].map((answer) =>
      answer.catch((thrown: unknown) => thrown),
    );
    first.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    second.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect((await Promise.all(answers)).every((thrown) => thrown instanceof DOMException)).toBe(true);
  });

  test("sends nothing for a caller that has left, and breaks off when the others leave", async () => {
    const signals: AbortSignal[] = [];
    stubFetch((request) => {
      signals.push(request.signal);
      return new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new DOMException("left", "AbortError"))));
    });
    const client = clientOf();
    await expect(client.query(question, AbortSignal.abort())).rejects.toThrow(DOMException);
    expect(signals).toEqual([]);
    const other = new AbortController();
    const answer = client.query(question, other.signal).catch((thrown: unknown) => thrown);
    await expect(client.query(question, AbortSignal.abort())).rejects.toThrow(DOMException);
    other.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await answer).toBeInstanceOf(DOMException);
  });

  test("tells errors by code, how long to wait, and that the token opens nothing", async () => {
    const signedOut = vi.fn();
    const answers = [
      new Response(JSON.stringify({ code: "overloaded", detail: "too much", request_id: "r1" }), { status: 503, headers: { "retry-after": "7" } }),
      new Response(JSON.stringify({ status: "ERROR", error: { code: "invalid_date", message: "start_date: no" } }), { status: 400 }),
      new Response("<html>", { status: 502 }),
      new Response(JSON.stringify({ code: "invalid_token", detail: "no" }), { status: 401 }),
    ];
    stubFetch(() => answers.shift() ?? Promise.reject(new TypeError("refused")));
    const client = clientOf(signedOut);
    const errors = [];
    for (let at = 0; at < 5; at += 1) errors.push(await client.query(question, never).catch((thrown: unknown) => thrown));
    expect(errors.every((error) => error instanceof ApiError)).toBe(true);
    expect(errors).toMatchObject([
      { code: "overloaded", isLoad: true, retryAfterSec: 7, requestId: "r1" },
      { code: "invalid_date", detail: "start_date: no", isLoad: false },
      { code: "internal", status: 502 },
      { code: "invalid_token", status: 401 },
      { code: "unreachable", status: 0 },
    ]);
    expect(signedOut).toHaveBeenCalledOnce();
  });
});

describe("a client that was left", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("ends no token: neither by an answer that comes late, nor by one that it would still wait for", async () => {
    const waiting: ((response: Response) => void)[] = [];
    const asked = stubFetch(() => new Promise((resolve) => waiting.push(resolve)));
    const signedOut = vi.fn();
    const client = clientOf(signedOut);
    const answers = Promise.allSettled([client.send(question), client.query(question, never)]);
    client.retire();
    for (const answer of waiting) answer(new Response("{}", { status: 401 }));
    expect((await answers).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([false, true]);
    expect(signedOut).not.toHaveBeenCalled();
  });
});

describe("changes", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("are heard, also when they come in pieces, and asked for again from where they broke off", async () => {
    const end = new AbortController();
    const asked = stubFetch((request) => {
      if (asked.length > 1) end.abort();
      const pieces = ["id: 4\nda", 'ta: {"sequence":4}\n\n: still here\n\nid: 5\r\ndata: {}\r\n\r\n'];
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(new TextEncoder().encode(piece));
        },
      });
      expect(request.headers.get("accept")).toBe("text/event-stream");
      return new Response(body);
    });
    const heard = vi.fn();
    let isOver = false;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const following = followChanges(clientOf(), "shop", end.signal, heard).finally(() => (isOver = true));
    while (!isOver) await vi.advanceTimersByTimeAsync(100);
    await following;
    vi.useRealTimers();
    expect(heard.mock.calls.length).toBeGreaterThanOrEqual(2);
    expect(asked.map(({ headers }) => headers.get("last-event-id"))).toEqual([null, "5"]);
  });

  test("are left in peace where there is no such route", async () => {
    const asked = stubFetch(() => new Response("{}", { status: 404 }));
    await followChanges(clientOf(), "shop", never, () => undefined);
    expect(asked).toHaveLength(1);
  });
});

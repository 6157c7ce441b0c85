import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { SERVER_LIMITS } from "../../../src/core/base/server-limits.js";
import { PromptAnswers } from "../../../src/http/overload/prompt-answers.js";
import type { WireReply, WireRequest } from "../../../src/http/wire/request-reply.js";

const PATH = "/healthz";

function requestOf(id: string): WireRequest {
  return { method: "GET", target: PATH, signal: { aborted: false }, header: (name) => (name === "x-request-id" ? id : null), readBody: () => Promise.reject(new Error("unread")) };
}

/** A handler that answers when it is told to. */
class SlowHandler {
  readonly pending: { resolve(text: string): void; reject(error: Error): void }[] = [];
  readonly forward = () =>
    new Promise<WireReply>((resolve, reject) => {
      const reply = (body: string) => resolve({ status: body === "ok" ? 200 : 503, headers: { "x-request-id": "of the handler" }, body });
      this.pending.push({ resolve: reply, reject });
    });
  /** Answers the oldest request. */
  reply(text: string): void {
    this.pending.shift()?.resolve(text);
  }
}

describe("a prompt answer", () => {
  const shown = ({ status, headers, body }: WireReply) => [status, headers["x-request-id"], body];
  let answers: PromptAnswers;
  let handler: SlowHandler;
  const ask = (id: string) => answers.answer(requestOf(id), PATH, handler.forward);

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    answers = new PromptAnswers();
    handler = new SlowHandler();
  });

  it("is the handler's while it is quick", async () => {
    for (const text of ["ok", "read_only", "ok"]) {
      const asked = ask(`r-${text}`);
      await vi.advanceTimersByTimeAsync(SERVER_LIMITS.promptAnswerMs - 1);
      handler.reply(text);
      // An answer of its own keeps the id under which the handler has logged it.
      expect(shown(await asked)).toEqual([text === "ok" ? 200 : 503, "of the handler", text]);
    }
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is the last one while the handler is late, with the id of its own request, and one request waits in the handler", async () => {
    const first = ask("r-0");
    handler.reply("ok");
    await first;
    const asked = Array.from({ length: 100 }, (_, at) => ask(`r-${at}`));
    await vi.advanceTimersByTimeAsync(SERVER_LIMITS.promptAnswerMs);
    expect((await Promise.all(asked)).map(shown)).toEqual(asked.map((_, at) => [200, `r-${at}`, "ok"]));
    expect(handler.pending).toHaveLength(1);
    // The late answer is the next one.
    handler.reply("read_only");
    await vi.advanceTimersByTimeAsync(1);
    const next = ask("r-next");
    await vi.advanceTimersByTimeAsync(SERVER_LIMITS.promptAnswerMs);
    expect(shown(await next)).toEqual([503, "r-next", "read_only"]);
  });

  it("is awaited if the last one is old, or if there is none", async () => {
    const first = ask("r-first");
    await vi.advanceTimersByTimeAsync(1_000);
    handler.reply("ok");
    expect(shown(await first)).toEqual([200, "of the handler", "ok"]);
    await vi.advanceTimersByTimeAsync(SERVER_LIMITS.repeatedAnswerMs + 1);
    let isSettled = false;
    const second = ask("r-second").finally(() => (isSettled = true));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(isSettled).toBe(false);
    handler.reply("closed");
    expect(shown(await second)).toEqual([503, "of the handler", "closed"]);
  });

  it("fails for the caller who disconnects, and not for those who wait for the same", async () => {
    const leaving = ask("r-leaving");
    const staying = ask("r-staying");
    expect(handler.pending).toHaveLength(1);
    handler.pending.shift()?.reject(new Error("the caller disconnected"));
    await expect(leaving).rejects.toThrow("disconnected");
    handler.reply("ok");
    expect(shown(await staying)).toEqual([200, "of the handler", "ok"]);
  });
});

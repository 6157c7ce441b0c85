import type { ApiClient } from "./client.js";
import { ApiError } from "./api-error.js";
import { get } from "./page-query.js";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Follows everything stored in a project, as server-sent events, until `signal` aborts. Reconnects after a connection breaks, with growing delays;
 * stops on any other client error, such as a missing route or a missing right.
 */
export async function followChanges(client: ApiClient, project: string, signal: AbortSignal, onChange: () => void): Promise<void> {
  let lastId = "";
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      const headers = { Accept: "text/event-stream", ...(lastId !== "" && { "Last-Event-ID": lastId }) };
      const response = await client.fetch(get(`/v1/projects/${encodeURIComponent(project)}/changes`), signal, headers);
      if (response.body === null) return;
      for await (const event of eventsOf(response.body)) {
        pauseMs = FIRST_PAUSE_MS;
        if (event.id !== "") lastId = event.id;
        if (event.hasData) onChange();
      }
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof ApiError && thrown.status >= 400 && thrown.status < 500 && !thrown.isLoad) return;
      if (thrown instanceof ApiError && thrown.retryAfterSec !== null) pauseMs = Math.max(pauseMs, thrown.retryAfterSec * 1_000);
    }
    await pause(pauseMs * (0.75 + Math.random() / 2), signal);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
}

interface ServerEvent {
  readonly id: string;
  readonly hasData: boolean;
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true }).replaceAll("\r", "");
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) yield eventOf(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(block: string): ServerEvent {
  const lines = block.split("\n");
  const id =
    lines
      .find((line) => line.startsWith("id:"))
      ?.slice(3)
      .trim() ?? "";
  return { id, hasData: lines.some((line) => line.startsWith("data:")) };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

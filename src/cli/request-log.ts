import { DaybookError } from "../base/errors.js";
import { SERVER_LIMITS } from "../base/server-limits.js";
import type { Answered } from "../http/index.js";

const SECOND_MS = 1_000;

/** Tells of requests on stderr, one JSON object a line: never what was asked, nor who asked. */
export class RequestLog {
  #secondMs = 0;
  #lineCount = 0;
  #leftOutCount = 0;

  constructor(
    readonly write: (text: string) => void,
    readonly nowMs: () => number,
  ) {}

  answered({ requestId, method, route, status, code, organization, durationMs }: Answered): void {
    if (route === "/healthz" && status === 200) return;
    const level = status >= 500 && code !== "overloaded" ? "error" : "info";
    const rounded = Math.round(durationMs * 10) / 10;
    this.#line({ level, request_id: requestId, method, route, status, code: code ?? undefined, organization, duration_ms: rounded });
  }

  /** Messages of errors that are not ours may quote what a caller sent: of these only the place is told. */
  defect(thrown: unknown, requestId: string): void {
    const message = thrown instanceof DaybookError ? `${thrown.code}: ${thrown.message}` : thrown instanceof Error ? thrown.name : typeof thrown;
    const stack = thrown instanceof Error ? (thrown.stack ?? "").split("\n").filter((line) => line.startsWith("    at ")) : [];
    this.#line({ level: "error", request_id: requestId, message, stack: stack.map((line) => line.trim()) });
  }

  #line(entry: object): void {
    const nowMs = this.nowMs();
    if (nowMs - this.#secondMs >= SECOND_MS) {
      if (this.#leftOutCount > 0) this.#write(nowMs, { level: "warn", message: "lines were left out", count: this.#leftOutCount });
      this.#secondMs = nowMs;
      this.#lineCount = 0;
      this.#leftOutCount = 0;
    }
    this.#lineCount += 1;
    if (this.#lineCount > SERVER_LIMITS.logLinesPerSec) this.#leftOutCount += 1;
    else this.#write(nowMs, entry);
  }

  #write(nowMs: number, entry: object): void {
    this.write(`${JSON.stringify({ time: new Date(nowMs).toISOString(), ...entry })}\n`);
  }
}

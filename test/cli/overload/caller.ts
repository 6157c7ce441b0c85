import { setTimeout as pause } from "node:timers/promises";
import { requestOf } from "../../../bench/load/batch.js";
import { Connection } from "../../../bench/load/connection.js";
import type { Answer } from "../../../bench/load/connection.js";
import type { Random } from "../../../src/testing/index.js";

/** One token, and what became of its requests. */
export class Caller {
  /** Answers with 200. */
  answeredCount = 0;
  /** Events that a server said are stored. */
  acknowledgedCount = 0;
  /** Events whose answer never came: the server was gone. */
  unknownCount = 0;
  /** By status, of refusals. */
  readonly refusals = new Map<number, number>();
  /** Answers that are neither 200 nor a refusal that says when to come again. */
  readonly others: string[] = [];
  /** From the first byte of a request to its answer, of requests that were answered with 200, and of all. */
  readonly latenciesMs: number[] = [];
  longestMs = 0;
  #eventCount = 0;

  constructor(
    readonly token: string,
    readonly connectionCount: number,
    readonly random: Random,
  ) {}

  /** Sends and asks, on each connection one request after the other, until it is time, or the server is gone. What was refused comes again. */
  async call(portOf: () => number, untilMs: number): Promise<void> {
    await Promise.all(Array.from({ length: this.connectionCount }, () => this.#callOn(portOf(), untilMs)));
  }

  async #callOn(port: number, untilMs: number): Promise<void> {
    const open = () => Connection.open(port).catch(() => null);
    let connection = await open();
    while (connection !== null && performance.now() < untilMs) {
      const eventCount = this.random.chance(0.6) ? this.random.between(1, 5) : 0;
      const request = eventCount > 0 ? this.#ingest(eventCount) : requestOf("POST", "/analytics/count-events-per-day", this.token, '{"fill":true}');
      for (;;) {
        const answer = await connection.send(request);
        if (answer === null) {
          this.unknownCount += eventCount;
          return connection.close();
        }
        if (this.#took(answer, eventCount)) break;
        // As clients are asked to, and not all at the same moment.
        await pause(Number(answer.retryAfter ?? 1) * 1_000 + this.random.below(250));
        if (performance.now() > untilMs) break;
        if (!connection.isOpen) connection = await open();
        // Gone since it refused: nothing of this one was stored.
        if (connection === null) return;
      }
      if (!connection.isOpen) connection = await open();
    }
    connection?.close();
  }

  #took({ status, retryAfter, body, latencyMs }: Answer, eventCount: number): boolean {
    this.longestMs = Math.max(this.longestMs, latencyMs);
    if (status === 200) {
      this.answeredCount += 1;
      this.latenciesMs.push(latencyMs);
      if (eventCount > 0) {
        const { accepted, duplicates } = JSON.parse(body) as { readonly accepted: number; readonly duplicates: number };
        if (accepted + duplicates !== eventCount) this.others.push(body);
        this.acknowledgedCount += accepted + duplicates;
      }
      return true;
    }
    this.refusals.set(status, (this.refusals.get(status) ?? 0) + 1);
    if ((status !== 429 && status !== 503) || !(Number(retryAfter) >= 1)) this.others.push(`${status} ${retryAfter} ${body}`);
    return false;
  }

  #ingest(eventCount: number): Buffer {
    const events = Array.from({ length: eventCount }, () => {
      this.#eventCount += 1;
      return { id: `${this.token} ${this.#eventCount}`, name: "sent", userId: `user ${this.#eventCount % 500}`, metadata: { token: this.token } };
    });
    return requestOf("POST", "/v1/events", this.token, JSON.stringify(events));
  }
}

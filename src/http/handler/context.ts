import type { Clock } from "../../core/base/time.js";
import { DaybookError } from "../../core/base/errors.js";
import type { Authenticator } from "../access/authenticator.js";
import type { ClientAddress } from "../access/client-address.js";
import type { KnownOrigins } from "../access/known-origins.js";
import { noticeHeader, type HeaderNotice } from "../answer/headers.js";
import type { Answered, RequestCounts, Trace } from "../answer/request-counts.js";
import type { Repeats } from "../clients/client.js";
import type { Collector } from "../collect/collector.js";
import type { Admission } from "../overload/admission.js";
import type { Agent, ProcessGauges, Route, Services } from "../routing/route.js";
import type { Router } from "../routing/router.js";
import type { SenderClocks } from "../tracking/call.js";
import type { BodyStream, WireRequest } from "../wire/request-reply.js";

export interface HandlerContext {
  readonly services: Services;
  readonly router: Router<Route>;
  readonly clock: Clock;
  readonly authenticator: Authenticator;
  readonly collector: Collector;
  readonly repeats: Repeats;
  readonly knownOrigins: KnownOrigins;
  readonly senderClocks: SenderClocks;
  readonly addressOf: ClientAddress;
  readonly admission: Admission;
  readonly streams: Streams;
  readonly parseUserAgent: (text: string) => Agent;
  readonly requestId: () => string;
  readonly sha256Hex: (text: string) => string;
  readonly onDefect: (thrown: unknown, requestId: string) => void;
  readonly onAnswer: (answered: Answered) => void;
  readonly counts: RequestCounts;
  readonly processGauges: () => ProcessGauges;
}

/** A request with a route, and what is known about it. */
export interface RoutedRequest {
  readonly request: WireRequest;
  readonly requestId: string;
  readonly receivedAtMs: number;
  readonly params: Readonly<Record<string, string>>;
  /** Text after the `?`. */
  readonly query: string;
  readonly trace: Trace;
}

/** Limits the open streams of each token; each is a lasting connection. */
export class Streams {
  readonly #byToken = new Map<string, Set<BodyStream>>();

  constructor(readonly streamsPerTokenCount: number) {}

  /** Opens a stream, which counts until it ends. @param onEnd called at its end, perhaps again @throws rate_limited */
  open(sha256: string, make: () => BodyStream, onEnd: () => void): BodyStream {
    const ofToken = this.#byToken.get(sha256) ?? new Set();
    if (ofToken.size >= this.streamsPerTokenCount)
      throw new DaybookError("rate_limited", `expected at most ${this.streamsPerTokenCount} streams per token at a time`);
    const stream = make();
    this.#byToken.set(sha256, ofToken.add(stream));
    const end = () => {
      onEnd();
      ofToken.delete(stream);
      if (ofToken.size === 0 && this.#byToken.get(sha256) === ofToken) this.#byToken.delete(sha256);
    };
    return {
      next: async () => {
        try {
          const piece = await stream.next();
          if (piece === null) end();
          return piece;
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel: () => {
        end();
        stream.cancel();
      },
    };
  }

  /** Ends the streams of all tokens that are no longer valid. A token whose lookup fails keeps its streams until their next check. */
  async endRevoked(isValid: (sha256: string) => Promise<boolean>): Promise<void> {
    const endOf = async (sha256: string, streams: ReadonlySet<BodyStream>) => {
      if (await isValid(sha256)) return;
      for (const stream of streams) stream.cancel();
    };
    await Promise.allSettled([...this.#byToken].map(([sha256, streams]) => endOf(sha256, streams)));
  }
}

/** Adds notices about the input to a header of the answer, and counts placeholder ids. */
export function sentNoticesOf({ counts }: HandlerContext, trace: Trace): (notices: readonly HeaderNotice[]) => void {
  return (sent) => {
    if (trace.organization !== null) counts.addNoIds(trace.organization, sent.filter(({ code }) => code === "no_id").length);
    const distinct = new Map(sent.map((notice) => [`${notice.code} ${notice.param} ${notice.name}`, notice]));
    trace.headers = { ...trace.headers, ...noticeHeader([...distinct.values()], true) };
  };
}

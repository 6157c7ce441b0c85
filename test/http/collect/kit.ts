import { fixedClock } from "../../../src/core/base/time.js";
import { memoryStorage, openDaybook } from "../../../src/index.js";
import type { Daybook } from "../../../src/engine/daybook.js";
import { createHandler, memoryTokens } from "../../../src/http/index.js";
import type { Handler, HandlerOptions, TokenEntry } from "../../../src/http/index.js";

export const NOON_MS = Date.parse("2026-03-10T12:00:00.000Z");
export const PAGE = "https://shop.example";
/** A browser of a person. */
export const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0";
const VIEW = { url: `${PAGE}/pricing?utm_source=news`, title: "Pricing" };

export const KEYS: readonly TokenEntry[] = [
  { token: "sk_owner_0123456789abcdefgh", role: "owner", scopes: ["*"] },
  { token: "pk_shop", project: "shop", public: { origins: [PAGE, "https://*.shop.example"] } },
  { token: "pk_ids", project: "shop", public: { origins: [PAGE], ids: ["anonymous", "user"] } },
  { token: "pk_any", project: "blog", public: { origins: ["*"] } },
  { token: "pk_old", project: "shop", public: { origins: ["*"] }, revoked_at: "2026-03-01T00:00:00.000Z" },
  { token: "pk_nowhere", project: "shop", public: { origins: ["*"] }, organization: "nowhere" },
];

export interface Setting {
  readonly daybook: Daybook;
  readonly handler: Handler;
  readonly clock: ReturnType<typeof fixedClock>;
}

export async function setting(options: Partial<HandlerOptions> = {}, nowMs = NOON_MS): Promise<Setting> {
  const clock = fixedClock(nowMs);
  const daybook = await openDaybook({ storage: memoryStorage(), clock });
  const handler = createHandler({ organizations: { default: daybook }, tokens: memoryTokens(KEYS), clock, requestId: () => "request-1", ...options });
  return { daybook, handler, clock };
}

export interface Sending {
  readonly key?: string;
  readonly origin?: string | null;
  readonly address?: string;
  readonly userAgent?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly type?: string;
  /** In the place of key and events. */
  readonly body?: string;
  readonly method?: string;
}

export interface Taken {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: Readonly<Record<string, unknown>> | null;
}

/** Sends events as a browser would. */
export async function collect({ handler }: Pick<Setting, "handler">, events: readonly unknown[] = [VIEW], sending: Sending = {}): Promise<Taken> {
  const { key = "pk_shop", origin = PAGE, address = "192.0.2.1", userAgent = FIREFOX, type = "text/plain;charset=UTF-8", method = "POST" } = sending;
  const headers: Record<string, string> = { "content-type": type, "user-agent": userAgent, ...(origin === null ? {} : { origin }), ...sending.headers };
  const bytes = new TextEncoder().encode(sending.body ?? JSON.stringify({ key, events }));
  const reply = await handler.answer({
    method,
    target: "/v1/collect",
    signal: { aborted: false },
    address,
    header: (name) => headers[name] ?? null,
    readBody: (maxByteLength) => (bytes.length > maxByteLength ? Promise.reject(new Error("too long")) : Promise.resolve(bytes)),
  });
  const json = reply.body === null ? null : (JSON.parse(String(reply.body)) as Record<string, unknown>);
  return { status: reply.status, headers: reply.headers, json };
}

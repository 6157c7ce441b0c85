import { z } from "zod";
import { DaybookError } from "../../core/base/errors.js";
import { parseJsonText } from "../../core/base/json-text.js";
import { isObject, textOf, type JsonObject } from "../tracking/call.js";

/** Long names of members, and the client's short ones. */
export const PLAUSIBLE_NAMES: Readonly<Record<string, string>> = {
  domain: "d", name: "n", url: "u", referrer: "r", screen_width: "w", hash_mode: "h", props: "p", revenue: "$",
};

const text = z.string().nullish();

/** Body of `plausible-tracker`. Its content is checked as a page event. */
export const plausibleBody = z.looseObject({
  d: text.meta({ description: "The public key." }),
  n: text.meta({ description: "The event name; `pageview` for a page view." }),
  u: text.meta({ description: "The URL of the page." }),
  r: text.meta({ description: "The referrer." }),
  w: z.number().nullish().meta({ description: "The width of the window." }),
  h: z.unknown().optional().meta({ description: "1: pages that differ only in the part after `#` count as different pages." }),
  p: z.unknown().optional().meta({ description: "Properties, as an object or as JSON text." }),
  $: z.unknown().optional().meta({ description: "Revenue: `amount` and `currency`, as an object or as JSON text." }),
});

/** The public key in a body. */
export function plausibleKey(body: JsonObject): string {
  return textOf(memberOf(body, "domain")) ?? "";
}

/** The event in a body, as a list of one. @throws invalid_parameter */
export function plausibleEvents(body: JsonObject): readonly unknown[] {
  const member = (name: string) => memberOf(body, name);
  const { amount, currency } = objectIn(member("revenue"), "revenue");
  const [width, hash] = [member("screen_width"), member("hash_mode")];
  const event = {
    name: member("name"),
    url: addressOf(member("url"), hash === 1 || hash === true),
    referrer: member("referrer"),
    metadata: { ...objectIn(member("props"), "props"), ...(typeof width === "number" ? { width } : {}) },
    value: amountOf(amount),
    currency,
  };
  return [event];
}

function memberOf(body: JsonObject, name: string): unknown {
  return body[PLAUSIBLE_NAMES[name] ?? ""] ?? body[name];
}

/** A number, also sent as text; undefined for anything else. */
function amountOf(amount: unknown): number | undefined {
  if (typeof amount !== "number" && textOf(amount) === null) return undefined;
  return Number.isFinite(Number(amount)) ? Number(amount) : undefined;
}

/** With `hash_mode` the part after `#` belongs to the path. The host is dropped, because a full address is stored without that part. */
function addressOf(url: unknown, hasHash: boolean): unknown {
  if (!hasHash || typeof url !== "string" || !url.includes("#")) return url;
  return /^https?:\/\/[^/]*(\/.*)$/i.exec(url)?.[1] ?? url;
}

function objectIn(value: unknown, name: string): JsonObject {
  if (value === undefined || value === null) return {};
  try {
    const parsed: unknown = typeof value === "string" ? parseJsonText(value) : value;
    if (isObject(parsed)) return parsed;
  } catch {
    // Reported below.
  }
  throw new DaybookError("invalid_parameter", `${name}: expected an object, or an object as JSON text`, { param: name });
}

import { DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { eventsOfArrow } from "../../engine/exports/to-arrow.js";
import { ARROW_TYPE, bodyTooLarge, type WireRequest } from "../wire/request-reply.js";
import type { HeldMemory } from "../overload/admission.js";
import { dataOfForm, isForm, withData } from "./parameters.js";
import { inflate, type BodyCompression } from "./inflate.js";
import { JsonScanner } from "./json-scan.js";
import { LineCount, parseNdjson, parseScanned } from "./json.js";
import type { BodyRule } from "../routing/route.js";

const JSON_TYPES = ["application/json"];
/** Adds `text/plain`, which browsers send as JSON without a CORS preflight, and curl's default type. */
const ANY_JSON_TYPES = [...JSON_TYPES, "text/plain", "application/x-www-form-urlencoded"];
const NDJSON_TYPES = ["application/x-ndjson", "application/ndjson"];
const ENCODINGS: Readonly<Record<string, BodyCompression>> = { gzip: "gzip", "x-gzip": "gzip", deflate: "deflate" };

/**
 * Reads and parses a request body; an empty body is `{}`.
 * @throws unsupported_media_type, body_too_large, overloaded, malformed_json, invalid_body
 */
export async function readBody(request: WireRequest, rule: BodyRule, held: HeldMemory): Promise<Record<string, unknown>> {
  const format = formatOf(request.header("content-type"), rule);
  const encoding = encodingOf(request.header("content-encoding"));
  const declared = Number(request.header("content-length") ?? 0);
  if (declared > rule.maxByteLength) throw bodyTooLarge(rule.maxByteLength);
  if (declared > 0) held.expect(declared);
  const sent = await request.readBody(rule.maxByteLength, (byteLength) => held.take(byteLength), held.isKeyless);
  const { list, itemCountMax = SERVER_LIMITS.bodyItemCount } = rule;
  const isFormBody = rule.form === true && isForm(request.header("content-type"));
  // Every NDJSON line is an item, whatever its value contains, so the scan has no item limit.
  const scanner = new JsonScanner(format === "ndjson" ? Infinity : itemCountMax, rule.maxByteLength, format === "json");
  const lines = format === "ndjson" ? new LineCount(itemCountMax) : null;
  /** Refuses a body before the rest of it is inflated. */
  const onInflated = (inflated: Uint8Array) => {
    lines?.count(inflated);
    if (!isFormBody && format !== "arrow") scanner.scan(inflated);
  };
  const bytes = encoding === null || sent.length === 0 ? sent : await inflate(sent, encoding, rule.maxByteLength, held, onInflated);
  const [json, others] = isFormBody ? dataOfForm(bytes) : [bytes, {}];
  const scan = format === "arrow" ? null : scanner.finish(json);
  const turn = held.parseTurn(scan?.weight ?? bytes.length, rule.isWritten === true);
  if (turn !== null) await turn;
  const pace = (byteLength: number) => held.pace(byteLength);
  if (scan === null) return { [list ?? ""]: await arrowEvents(bytes, rule.maxByteLength, itemCountMax) };
  if (format === "ndjson" && list !== null) return { [list]: await parseNdjson(bytes, scan, itemCountMax, pace) };
  if (bytes.length === 0 && !isFormBody) return {};
  const value = await parseScanned(json, scan, pace);
  return isFormBody ? withData(value, others, list ?? "data") : objectOf(value, rule);
}

/** Reads a body that the route does not use, so that a truncated request has no effect. @throws body_too_large, overloaded, aborted */
export async function dropBody(request: WireRequest, held: HeldMemory): Promise<void> {
  const isEmpty = Number(request.header("content-length") ?? 0) === 0 && request.header("transfer-encoding") === null;
  if (!isEmpty) await request.readBody(SERVER_LIMITS.droppedBodyBytes, (byteLength) => held.take(byteLength));
}

function objectOf(value: unknown, rule: BodyRule): Record<string, unknown> {
  if (Array.isArray(value) && rule.list !== null) return { [rule.list]: value };
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  const actual = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
  const expected = rule.list === null ? "an object" : `an object or an array of ${rule.list}`;
  throw new DaybookError("invalid_body", `expected ${expected} as the body, got ${actual}`);
}

async function arrowEvents(bytes: Uint8Array, maxByteLength: number, itemCountMax: number): Promise<readonly unknown[]> {
  try {
    return await eventsOfArrow(bytes, maxByteLength, itemCountMax);
  } catch (error) {
    if (!(error instanceof DaybookError) || error.code !== "invalid_parameter") throw error;
    throw new DaybookError("invalid_body", error.message.replace(/^bytes: /, ""));
  }
}

/** A body without a content type counts as JSON. */
function formatOf(header: string | null, rule: BodyRule): "json" | "ndjson" | "arrow" {
  if (header === null || header === "application/json") return "json";
  const { type, isUtf8 } = mediaTypeOf(header);
  const jsonTypes = rule.anyTextType === true ? ANY_JSON_TYPES : JSON_TYPES;
  if (isUtf8 && jsonTypes.includes(type)) return "json";
  if (isUtf8 && rule.list !== null && NDJSON_TYPES.includes(type)) return "ndjson";
  if (rule.arrow === true && type === ARROW_TYPE) return "arrow";
  const accepted = rule.list === null ? jsonTypes : [...jsonTypes, ...NDJSON_TYPES];
  const orArrow = rule.arrow === true ? `, or ${ARROW_TYPE}` : "";
  throw new DaybookError(
    "unsupported_media_type",
    `Content-Type: expected ${accepted.join(" or ")} in UTF-8${orArrow}, got ${JSON.stringify(header.slice(0, 80))}`,
  );
}

interface MediaType {
  readonly type: string;
  readonly isUtf8: boolean;
}

/** Bounds the cache of parsed content types; browsers and client libraries repeat a few texts. */
const CACHED_TYPE_COUNT = 32;
const CACHED_TYPE_CHARS = 80;
const cachedTypes = new Map<string, MediaType>();

function mediaTypeOf(header: string): MediaType {
  const cached = cachedTypes.get(header);
  if (cached !== undefined) return cached;
  const [type = "", ...parameters] = header.toLowerCase().split(";").map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice(8).replaceAll('"', "");
  const mediaType = { type, isUtf8: charset === undefined || charset === "utf-8" || charset === "utf8" };
  if (ANY_JSON_TYPES.includes(type) && header.length <= CACHED_TYPE_CHARS && cachedTypes.size < CACHED_TYPE_COUNT) cachedTypes.set(header, mediaType);
  return mediaType;
}

function encodingOf(header: string | null): BodyCompression | null {
  if (header === null) return null;
  const name = header.trim().toLowerCase();
  if (name === "" || name === "identity") return null;
  if (Object.hasOwn(ENCODINGS, name)) return ENCODINGS[name] ?? null;
  throw new DaybookError(
    "unsupported_media_type",
    `Content-Encoding: expected gzip, deflate or identity, got ${JSON.stringify(name.slice(0, 80))}`,
  );
}

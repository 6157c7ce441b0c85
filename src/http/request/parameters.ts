import { parameterError, DaybookError } from "../../core/base/errors.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { parseJson } from "./json.js";

/** Parses a query string. @throws invalid_parameter (broken percent-encoding), duplicate_parameter */
export function parseQuery(text: string): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  if (text === "") return query;
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equalsAt = pair.indexOf("=");
    const name = decode(equalsAt === -1 ? pair : pair.slice(0, equalsAt));
    if (Object.hasOwn(query, name)) throw parameterError("duplicate_parameter", name.slice(0, 80), "expected once, got it twice");
    query[name] = equalsAt === -1 ? "" : decode(pair.slice(equalsAt + 1));
  }
  return query;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw parameterError("invalid_parameter", "query", `expected percent-encoded UTF-8, got ${JSON.stringify(text.slice(0, 80))}`);
  }
}

const FORM_TYPE = "application/x-www-form-urlencoded";
const DATA = "data";
const decoder = new TextDecoder();

/** Newer runtimes decode base64 natively. */
const fromBase64 = (Uint8Array as { readonly fromBase64?: (text: string) => Uint8Array }).fromBase64?.bind(Uint8Array);

export function isForm(contentType: string | null): boolean {
  return (contentType ?? "").toLowerCase().split(";", 1)[0]?.trim() === FORM_TYPE;
}

/**
 * Splits a form into the JSON of its `data` field and the other fields.
 * @throws malformed_json, invalid_parameter, duplicate_parameter, invalid_body (too many fields)
 */
export function dataOfForm(bytes: Uint8Array): [json: Uint8Array, others: Readonly<Record<string, string>>] {
  const text = decoder.decode(bytes);
  if (text.split("&", SERVER_LIMITS.formFieldCount + 1).length > SERVER_LIMITS.formFieldCount)
    throw new DaybookError("invalid_body", `expected at most ${SERVER_LIMITS.formFieldCount} fields in a form`);
  return dataOfFields(parseQuery(text));
}

/**
 * Parses fields whose `data` is JSON in base64: one item or a list of items.
 * @param list name of the member that gets the items
 * @throws malformed_json (also if `data` is missing)
 */
export function membersOfFields(fields: Readonly<Record<string, string>>, list: string): Record<string, unknown> {
  const [json, others] = dataOfFields(fields);
  return withData(parseJson(json), others, list);
}

/** Combines the parsed JSON of a form, as a list, with the other fields. */
export function withData(value: unknown, others: Readonly<Record<string, string>>, list: string): Record<string, unknown> {
  return { ...others, [list]: Array.isArray(value) ? value : [value] };
}

function dataOfFields(
  { [DATA]: data = "", ...others }: Readonly<Record<string,
  string>>,
): [json: Uint8Array, others: Readonly<Record<string, string>>] {
  return [bytesOfBase64(data), others];
}

/** An unescaped plus in a form decodes as a space, so spaces are turned back into pluses. */
function bytesOfBase64(text: string): Uint8Array {
  try {
    const escaped = text.replaceAll(" ", "+");
    return fromBase64?.(escaped) ?? bytesOfLatin1(atob(escaped));
  } catch {
    throw new DaybookError("malformed_json", `${DATA}: expected JSON in base64`);
  }
}

/** `Uint8Array.from` takes ten times as long. */
function bytesOfLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

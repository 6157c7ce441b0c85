import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import { wireParam } from "../wire/wire-names.js";

/** Header of every answer: browsers must not guess another type for content that callers stored. */
export const NO_SNIFF = { "x-content-type-options": "nosniff" } as const;

/** A notice about a parameter, with the name that it is about. */
export interface HeaderNotice {
  readonly code: string;
  readonly param: string;
  readonly name: string;
}

/**
 * The header for notices about a request; none without notices. An example of its value is
 * `unknown_field; param="filter_groups[0].filters[0].field_name"; name="plna"`.
 * @param keepsNames parameters stay in camelCase
 */
export function noticeHeader(notices: readonly HeaderNotice[], keepsNames = false): Readonly<Record<string, string>> {
  if (notices.length === 0) return {};
  const items: string[] = [];
  let room = SERVER_LIMITS.noticeHeaderChars;
  for (const { code, param, name } of notices) {
    const item = `${code}; param="${keepsNames ? param : wireParam(param)}"; name="${escaped(name)}"`;
    room -= item.length + SEPARATOR.length;
    if (room < 0) break;
    items.push(item);
  }
  const more = notices.length - items.length;
  return { "daybook-notice": [...items, ...(more === 0 ? [] : [`more; count=${more}`])].join(SEPARATOR) };
}

const SEPARATOR = ", ";

/** A caller's name, percent-encoded and cut, so that it cannot end a quoted text or a header. */
function escaped(name: string): string {
  let text = "";
  for (const character of name) {
    const encoded = encodeURIComponent(character);
    if (text.length + encoded.length > SERVER_LIMITS.noticeNameChars) return `${text}...`;
    text += encoded;
  }
  return text;
}

/** Adds headers to those of an answer; an answer that varies for both reasons says so. */
export function joinedHeaders(headers: Readonly<Record<string, string>>, added: Readonly<Record<string, string>>): Record<string, string> {
  const vary = [headers["vary"], added["vary"]].filter((name) => name !== undefined).join(", ");
  return { ...headers, ...added, ...(vary === "" ? {} : { vary }) };
}

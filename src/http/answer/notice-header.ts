import { SERVER_LIMITS } from "../../base/server-limits.js";
import { wireParam } from "../wire/wire-names.js";

/** What was noticed about a parameter, and what that names. */
export interface HeaderNotice {
  readonly code: string;
  readonly param: string;
  readonly name: string;
}

/**
 * The header of what was noticed about a request; none where nothing was. An example of its value is
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

/** What a caller named, percent-encoded and cut: nothing of it can end a text or a header. */
function escaped(name: string): string {
  let text = "";
  for (const character of name) {
    const encoded = encodeURIComponent(character);
    if (text.length + encoded.length > SERVER_LIMITS.noticeNameChars) return `${text}...`;
    text += encoded;
  }
  return text;
}

import { DaybookError } from "../../base/errors.js";
import { parseJson } from "./json.js";
import { parseQuery } from "./query.js";

const FORM_TYPE = "application/x-www-form-urlencoded";
const DATA = "data";
const decoder = new TextDecoder();

/** Whether a body is a form by its content type. */
export function isForm(contentType: string | null): boolean {
  return (contentType ?? "").toLowerCase().split(";", 1)[0]?.trim() === FORM_TYPE;
}

/** The fields of a form, as `membersOfFields` has them. @throws malformed_json, invalid_parameter, duplicate_parameter */
export function membersOfForm(bytes: Uint8Array, list: string): Record<string, unknown> {
  return membersOfFields(parseQuery(decoder.decode(bytes)), list);
}

/**
 * Fields of which `data` holds JSON in base64: one thing, or a list of them.
 * @param list the member that they become
 * @throws malformed_json (also where there is no `data`)
 */
export function membersOfFields(fields: Readonly<Record<string, string>>, list: string): Record<string, unknown> {
  const { [DATA]: data = "", ...others } = fields;
  const value = parseJson(bytesOfBase64(data));
  return { ...others, [list]: Array.isArray(value) ? value : [value] };
}

/** In a form that was not escaped a plus reads as a blank. */
function bytesOfBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text.replaceAll(" ", "+")), (char) => char.charCodeAt(0));
  } catch {
    throw new DaybookError("malformed_json", `${DATA}: expected JSON in base64`);
  }
}

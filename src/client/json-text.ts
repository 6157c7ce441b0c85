import { DaybookError, parameterError } from "../core/base/errors.js";
import type { ErrorCode } from "../core/base/errors.js";
import { SERVER_LIMITS } from "../core/base/server-limits.js";

/**
 * The JSON text of a value that JSON represents exactly; a value that it would change or leave out is refused.
 * As in the library, members that are `undefined` are absent, and such items are `null`.
 * @param takesDates true: a `Date` becomes its ISO text; false: it is refused
 * @throws invalid_parameter, invalid_filter_value (both name the member)
 */
export function jsonText(value: unknown, takesDates: boolean): string {
  checkValue(value, "", 1, takesDates);
  return JSON.stringify(value ?? null);
}

function checkValue(value: unknown, path: string, depth: number, takesDates: boolean): void {
  if (value === null || value === undefined || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw refused(path, String(value), FILTER_VALUE.test(path));
  } else if (typeof value !== "object") throw refused(path, `a ${typeof value}`);
  else if (value instanceof Date) checkDate(value, path, takesDates);
  else {
    // Also stops at circular references.
    if (depth > SERVER_LIMITS.clientDepth) throw refusal(path, `expected at most ${SERVER_LIMITS.clientDepth} levels of nesting`);
    if (Array.isArray(value)) for (let at = 0; at < value.length; at += 1) checkValue(value[at], `${path}[${at}]`, depth + 1, takesDates);
    else checkObject(value, path, depth, takesDates);
  }
}

function checkDate(date: Date, path: string, isTaken: boolean): void {
  if (!isTaken) throw refused(path, "a Date");
  if (Number.isNaN(date.getTime())) throw refused(path, "an invalid Date");
}

function checkObject(value: object, path: string, depth: number, takesDates: boolean): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  // The input itself may be an instance of any class: its members count.
  if (!isPlain && depth > 1) throw refused(path, `an instance of ${value.constructor.name}`);
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") throw refused(path, "an object with toJSON");
  for (const [name, member] of Object.entries(value)) checkValue(member, path === "" ? name : `${path}.${name}`, depth + 1, takesDates);
}

/** Path of the value of a filter at any depth, or of a condition of a segment. */
const FILTER_VALUE = /(?:^|\.)(?:filterGroups\[\d+\]\.filters|groups\[\d+\]\.conditions)\[\d+\]\.value$/;
const FILTER_ITEM = /(?:^|\.)(?:filterGroups\[\d+\]\.filters|groups\[\d+\]\.conditions)\[\d+\]\.value\[\d+\]/;

/** @param isNoFilterValue the library has a separate code for it, as for all invalid items of a filter's list */
function refused(path: string, came: string, isNoFilterValue = false): DaybookError {
  const code = isNoFilterValue || FILTER_ITEM.test(path) ? "invalid_filter_value" : "invalid_parameter";
  return refusal(path, `expected a value that JSON can represent, got ${came}`, code);
}

function refusal(path: string, reason: string, code: ErrorCode = "invalid_parameter"): DaybookError {
  return path === "" ? new DaybookError(code, reason) : parameterError(code, path.slice(0, 200), reason);
}

import { DaybookError, parameterError } from "../base/errors.js";
import type { ErrorCode } from "../base/errors.js";
import { SERVER_LIMITS } from "../base/server-limits.js";

/**
 * The JSON text of a value that JSON carries as it is: what it would change or leave out is refused. Members that are
 * `undefined` are absent, and items `null`, as for the library.
 * @param takesDates a `Date` is its ISO text; else it is refused
 * @throws invalid_parameter, invalid_filter_value, naming the member
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
    // Also what goes round in a circle.
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
  // What was given itself may be an object of any class: its members count.
  if (!isPlain && depth > 1) throw refused(path, `an object of ${value.constructor.name}`);
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") throw refused(path, "an object with toJSON");
  for (const [name, member] of Object.entries(value)) checkValue(member, path === "" ? name : `${path}.${name}`, depth + 1, takesDates);
}

/** Of a filter, wherever it stands, or of a condition of a segment. */
const FILTER_VALUE = /(?:^|\.)(?:filterGroups\[\d+\]\.filters|groups\[\d+\]\.conditions)\[\d+\]\.value$/;
const FILTER_ITEM = /(?:^|\.)(?:filterGroups\[\d+\]\.filters|groups\[\d+\]\.conditions)\[\d+\]\.value\[\d+\]/;

/** @param isNoFilterValue the library has a code of its own for it, as it has for all wrong items of a list */
function refused(path: string, came: string, isNoFilterValue = false): DaybookError {
  const code = isNoFilterValue || FILTER_ITEM.test(path) ? "invalid_filter_value" : "invalid_parameter";
  return refusal(path, `expected what JSON can carry, got ${came}`, code);
}

function refusal(path: string, reason: string, code: ErrorCode = "invalid_parameter"): DaybookError {
  return path === "" ? new DaybookError(code, reason) : parameterError(code, path.slice(0, 200), reason);
}

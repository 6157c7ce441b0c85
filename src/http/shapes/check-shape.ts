import { z } from "zod";
import { DaybookError, shown, type ErrorCode } from "../../core/base/errors.js";

interface Flaw {
  readonly code: ErrorCode;
  readonly param: string;
  readonly reason: string;
}

export interface CheckShapeOptions {
  /** Prefix of every parameter path. */
  readonly at?: string;
  /** True: values may be secrets, so messages never show them. */
  readonly secret?: boolean;
}

/**
 * Checks JSON against a schema; an unknown member whose value is null counts as absent.
 * If there are several flaws, `details.errors` lists them all; the first one sets code and message.
 * Unknown members come first, because a misspelled name explains why another member is missing.
 * @throws invalid_parameter, unknown_parameter
 */
export function checkShape(schema: z.ZodType, value: unknown, options: CheckShapeOptions = {}): void {
  const result = schema.safeParse(value);
  if (result.success) return;
  const all = result.error.issues.flatMap((issue) => flawsOf(issue, schema, value, options));
  const flaws = [...all.filter(isUnknown), ...all.filter((flaw) => !isUnknown(flaw))];
  const [first] = flaws;
  if (first === undefined) return;
  throw new DaybookError(first.code, `${first.param}: ${first.reason}`, {
    param: first.param,
    reason: first.reason,
    ...(flaws.length > 1
      ? { errors: flaws.map(({ code, param, reason }) => ({ code, param, message: `${param}: ${reason}` })) }
      : {}),
  });
}

function isUnknown({ code }: Flaw): boolean {
  return code === "unknown_parameter";
}

function flawsOf(issue: z.core.$ZodIssue, schema: z.ZodType, root: unknown, options: CheckShapeOptions): Flaw[] {
  const actual = valueAt(root, issue.path);
  const param = pathText(issue.path, options.at ?? "");
  if (issue.code === "unrecognized_keys") {
    const allowed = memberNames(schema, issue.path);
    return issue.keys
      .filter((key) => (actual as Record<string, unknown>)[key] !== null)
      .map((key) => ({
        code: "unknown_parameter",
        param: pathText([...issue.path, key], options.at ?? ""),
        reason: allowed.length === 0 ? "unknown" : `unknown; allowed: ${allowed.join(", ")}`,
      }));
  }
  const expected = issue.code === "invalid_type" ? `expected ${issue.expected}` : issue.message;
  const got = actual === undefined ? "but it is missing" : options.secret === true ? "got something else" : `got ${shown(actual)}`;
  return [{ code: "invalid_parameter", param: param === "" ? "body" : param, reason: `${expected}, ${got}` }];
}

/** Names of the members that an object at this path may have; empty if no single object schema applies. */
function memberNames(root: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = unwrap(root);
  for (const key of path) {
    if (at instanceof z.ZodArray) at = unwrap(at.element);
    else if (at instanceof z.ZodRecord) at = unwrap(at.valueType);
    else if (at instanceof z.ZodObject) at = unwrap((at.shape as Record<PropertyKey, unknown>)[key]);
    else return [];
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape as object) : [];
}

export function unwrap(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? unwrap(schema.unwrap()) : schema;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** A path such as `filter_groups[0].filters[2].operator`; keys may come from the caller, so they are cut to 80 characters. */
function pathText(path: readonly PropertyKey[], start: string): string {
  let text = start;
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else text += `${text === "" ? "" : "."}${String(key).slice(0, 80)}`;
  }
  return text;
}

import type { z } from "zod";
import { DaybookError, shown } from "../../base/errors.js";
import type { ErrorCode } from "../../base/errors.js";

interface Flaw {
  readonly code: ErrorCode;
  readonly param: string;
  readonly reason: string;
}

export interface CheckShapeOptions {
  /** Stands before every parameter path. */
  readonly at?: string;
  /** Values may be secrets and are never shown. */
  readonly secret?: boolean;
}

/**
 * Checks JSON against a schema; a member that is not known but null counts as absent. All flaws are in `details.errors`
 * when there are several; the first gives code and message.
 * @throws invalid_parameter, unknown_parameter
 */
export function checkShape(schema: z.ZodType, value: unknown, options: CheckShapeOptions = {}): void {
  const result = schema.safeParse(value);
  if (result.success) return;
  const flaws = result.error.issues.flatMap((issue) => flawsOf(issue, value, options));
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

function flawsOf(issue: z.core.$ZodIssue, root: unknown, options: CheckShapeOptions): Flaw[] {
  const came = valueAt(root, issue.path);
  const param = pathText(issue.path, options.at ?? "");
  if (issue.code === "unrecognized_keys") {
    return issue.keys
      .filter((key) => (came as Record<string, unknown>)[key] !== null)
      .map((key) => ({
        code: "unknown_parameter",
        param: pathText([...issue.path, key], options.at ?? ""),
        reason: "is not known here",
      }));
  }
  const expected = issue.code === "invalid_type" ? `expected ${issue.expected}` : issue.message;
  const instead = came === undefined ? "it is missing" : options.secret === true ? "got another" : `got ${shown(came)}`;
  return [{ code: "invalid_parameter", param: param === "" ? "body" : param, reason: `${expected}, ${instead}` }];
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** `filter_groups[0].filters[2].operator`; a key that the caller invented is shortened. */
function pathText(path: readonly PropertyKey[], start: string): string {
  let text = start;
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else text += `${text === "" ? "" : "."}${String(key).slice(0, 80)}`;
  }
  return text;
}

import { z } from "zod";
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
 * when there are several; the first gives code and message. Members that are not known come first: a name that is spelled
 * wrong says why another is missing.
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
  const came = valueAt(root, issue.path);
  const param = pathText(issue.path, options.at ?? "");
  if (issue.code === "unrecognized_keys") {
    const known = memberNames(schema, issue.path);
    return issue.keys
      .filter((key) => (came as Record<string, unknown>)[key] !== null)
      .map((key) => ({
        code: "unknown_parameter",
        param: pathText([...issue.path, key], options.at ?? ""),
        reason: known.length === 0 ? "unknown" : `unknown; known are ${known.join(", ")}`,
      }));
  }
  const expected = issue.code === "invalid_type" ? `expected ${issue.expected}` : issue.message;
  const instead = came === undefined ? "it is missing" : options.secret === true ? "got another" : `got ${shown(came)}`;
  return [{ code: "invalid_parameter", param: param === "" ? "body" : param, reason: `${expected}, ${instead}` }];
}

/** Names of the members that an object at this path may have; none where there is no single schema for it. */
function memberNames(root: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = bare(root);
  for (const key of path) {
    if (at instanceof z.ZodArray) at = bare(at.element);
    else if (at instanceof z.ZodRecord) at = bare(at.valueType);
    else if (at instanceof z.ZodObject) at = bare((at.shape as Record<PropertyKey, unknown>)[key]);
    else return [];
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape as object) : [];
}

/** The schema of what is there, where it may be absent or null. */
export function bare(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? bare(schema.unwrap()) : schema;
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

import { parameterError, shown } from "../base/errors.js";
import { dayStartMs } from "../base/time.js";
import type { IdentityScope, Range } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import type { ReportContext } from "./report.js";
import { timelineOf, type Timeline } from "./timeline.js";

/** Whom an identity report is about, and where to look: rows are read in `finish`, those of others never. */
export interface IdentityRows {
  readonly identity: number;
  readonly parts: Rows[];
}

/** @throws identity_not_found */
export function beginIdentity({ subject }: IdentityScope, { identities }: ReportContext): IdentityRows {
  const [name, id, identity] =
    subject.kind === "email"
      ? (["email", subject.email, identities.findEmail(subject.email)] as const)
      : (["userId", subject.userId, identities.findId(subject.userId)] as const);
  if (identity === 0) throw parameterError("identity_not_found", name, `nobody is known by ${shown(id)}`);
  return { identity, parts: [] };
}

export function addPart(state: IdentityRows, rows: Rows): void {
  state.parts.push(rows);
}

export function mergeParts(into: IdentityRows, from: IdentityRows): void {
  into.parts.push(...from.parts);
}

/** All events of the identity; with a window, at least those of the days that it touches. */
export function timelineOfIdentity(
  { identity, parts }: IdentityRows,
  context: ReportContext,
  { window = null, sequence = null }: { readonly window?: Range | null; readonly sequence?: number | null } = {},
): Promise<Timeline> {
  const touched = window === null ? parts : parts.filter((rows) => touches(rows, window));
  return timelineOf(touched, context.identities.actorsOf(identity), sequence);
}

function touches({ day, minMs, maxMs }: Rows, { fromMs, toMs }: Range): boolean {
  return dayStartMs(day) + maxMs >= fromMs && dayStartMs(day) + minMs < toMs;
}

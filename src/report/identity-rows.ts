import { parameterError, shown } from "../base/errors.js";
import { dayStartMs } from "../base/time.js";
import { isActorBefore } from "../identity/identity-view.js";
import type { IdentityScope, Range } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { ACTOR_COLUMNS } from "./actors.js";
import type { ReportContext } from "./report.js";
import { rowsOfLoaded } from "./rows-by-actor.js";
import { timelineOf, type Timeline } from "./timeline.js";
import { Timelines } from "./timelines.js";

/** Whom an identity report is about, and where to look: rows are read in `finish`, those of others never. */
export interface IdentityRows {
  readonly identity: number;
  readonly parts: Rows[];
}

/** @throws identity_not_found */
export function beginIdentity({ subject }: IdentityScope, { identities, ends }: ReportContext): IdentityRows {
  const [name, id, identity] =
    subject.kind === "email"
      ? (["email", subject.email, identities.findEmail(subject.email)] as const)
      : (["userId", subject.userId, identities.findId(subject.userId)] as const);
  if (identity === 0 || !isActorBefore(identity, ends)) throw parameterError("identity_not_found", name, `nobody is known by ${shown(id)}`);
  return { identity, parts: [] };
}

export function addPart(state: IdentityRows, rows: Rows): void {
  state.parts.push(rows);
}

export function mergeParts(into: IdentityRows, from: IdentityRows): void {
  into.parts.push(...from.parts);
}

/**
 * All events of the identity; with a window, at least those of the days that it touches. What sealed segments hold of the
 * last identities asked about is kept until segments or identities change.
 */
export async function timelineOfIdentity(
  { identity, parts }: IdentityRows,
  { identities, memo }: ReportContext,
  { window = null, sequence = null }: { readonly window?: Range | null; readonly sequence?: number | null } = {},
): Promise<Timeline> {
  const actors = identities.actorsOf(identity);
  const touched = window === null ? parts : parts.filter((rows) => touches(rows, window));
  if (sequence !== null) return await timelineOf(touched, actors, sequence);
  const sealed = parts.filter((rows) => rows.sealed);
  if (await someHold(touched.filter((rows) => !rows.sealed), actors)) return await timelineOf(touched, actors, null);
  const timelines = memo.of("timelines", [identities], () => new Timelines());
  if (window === null) return await timelines.of(identity, actors, sealed);
  return timelines.find(identity, sealed) ?? (await timelineOf(touched.filter((rows) => rows.sealed), actors, null));
}

/** Whether some of these heads hold events of the actors. Cost: their rows. */
async function someHold(heads: readonly Rows[], actors: readonly number[]): Promise<boolean> {
  const ascending = [...actors].sort((a, b) => a - b);
  for (const rows of heads) {
    await rows.load(ACTOR_COLUMNS);
    if (rowsOfLoaded(rows, ascending).length > 0) return true;
  }
  return false;
}

function touches({ day, minMs, maxMs }: Rows, { fromMs, toMs }: Range): boolean {
  return dayStartMs(day) + maxMs >= fromMs && dayStartMs(day) + minMs < toMs;
}

import { parameterError, shown } from "../../../core/base/errors.js";
import type { Dictionaries } from "../../../storage/column/dictionaries.js";
import { isActorBefore, type IdentityView } from "../../../identity/identity-view.js";
import type { IdentityScope } from "../../plan/plan.js";
import type { TableSnapshot } from "../../tables/tables.js";
import type { Timeline } from "../../tables/people/timeline.js";

/** The identity that a query is about, and the ids under which events name it. */
export interface IdentitySubject {
  readonly identity: number;
  /** Ascending. */
  readonly actors: readonly number[];
}

/** The identity that a plan names. @throws identity_not_found */
export function subjectOf({ subject }: IdentityScope, { identities, ends }: TableSnapshot): IdentitySubject {
  const [name, id, identity] =
    subject.kind === "email"
      ? (["email", subject.email, identities.findEmail(subject.email)] as const)
      : (["userId", subject.userId, identities.findId(subject.userId)] as const);
  if (identity === 0 || !isActorBefore(identity, ends)) throw parameterError("identity_not_found", name, `no person has the identifier ${shown(id)}`);
  return { identity, actors: [...identities.actorsOf(identity)].sort((a, b) => a - b) };
}

/** What a result is computed from, once the events of the subject are read. */
export interface SubjectEvents extends IdentitySubject {
  readonly timeline: Timeline;
  readonly dictionaries: Dictionaries;
  readonly identities: IdentityView;
  /** Sequence of the snapshot. */
  readonly sequence: number;
  readonly pause: () => Promise<void>;
}

/**
 * Computes a result from all events of one identity. Cost: a search in each segment not searched for it recently, and its rows.
 * @param upTo greatest sequence of the rows that count; null: that of the snapshot
 */
export async function withEventsOf<A>(
  subject: IdentitySubject,
  { rows, tables, pause, looked, dictionaries, identities, sequence }: TableSnapshot,
  upTo: number | null,
  answer: (events: SubjectEvents) => Promise<A>,
): Promise<A> {
  const timeline = await tables.timelines.of(subject, rows, upTo, { pause, looked });
  return await answer({ ...subject, timeline, dictionaries, identities, sequence, pause });
}

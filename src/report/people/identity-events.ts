import { parameterError, shown } from "../../base/errors.js";
import type { Dictionaries } from "../../column/dictionaries.js";
import { isActorBefore, type IdentityView } from "../../identity/identity-view.js";
import type { IdentityScope } from "../../plan/plan.js";
import type { TableMoment } from "../../table/tables.js";
import type { Timeline } from "../../table/people/timeline.js";

/** Whom a question is about, and by which ids events name them. */
export interface IdentitySubject {
  readonly identity: number;
  /** Ascending. */
  readonly actors: readonly number[];
}

/** @throws identity_not_found */
export function subjectOf({ subject }: IdentityScope, { identities, ends }: TableMoment): IdentitySubject {
  const [name, id, identity] =
    subject.kind === "email"
      ? (["email", subject.email, identities.findEmail(subject.email)] as const)
      : (["userId", subject.userId, identities.findId(subject.userId)] as const);
  if (identity === 0 || !isActorBefore(identity, ends)) throw parameterError("identity_not_found", name, `nobody is known by ${shown(id)}`);
  return { identity, actors: [...identities.actorsOf(identity)].sort((a, b) => a - b) };
}

/** What an answer is made of, once the events of the subject are at hand. */
export interface SubjectEvents extends IdentitySubject {
  readonly timeline: Timeline;
  readonly dictionaries: Dictionaries;
  readonly identities: IdentityView;
  /** Of the snapshot. */
  readonly sequence: number;
  readonly pause: () => Promise<void>;
}

/**
 * Answers from the events of one identity, of all time. Cost: a search in each segment that was not asked about them lately, and their rows.
 * @param upTo greatest sequence of the rows that count; null: all of the moment
 */
export async function withEventsOf<A>(
  subject: IdentitySubject,
  { rows, tables, pause, looked, dictionaries, identities, sequence }: TableMoment,
  upTo: number | null,
  answer: (events: SubjectEvents) => Promise<A>,
): Promise<A> {
  const timeline = await tables.timelines.of(subject, rows, upTo, { pause, looked });
  return await answer({ ...subject, timeline, dictionaries, identities, sequence, pause });
}

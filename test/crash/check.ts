import type { EventInput } from "daybook";
import type { Fact, Ledger } from "./ledger.js";
import { type Observed, eventText, isErased } from "./observe.js";

/** Something that was sent once. */
export interface Sent {
  /** The event; null for a record. */
  readonly event: EventInput | null;
  /** Whether it is of the person who is erased. */
  readonly isOfErased: boolean;
}

/** All that was sent in the lives of a store: events by id, records by kind and id. */
export type World = Map<string, Sent>;

/** What is wrong with what was found; null when nothing is. */
export function violation(observed: Observed, ledger: Ledger, world: World): string | null {
  return wrongRequest(observed, ledger) ?? wrongFact(observed, ledger, world) ?? wrongOrder(observed, ledger, world) ?? neverSent(observed, ledger, world);
}

/** The ledger once a store was opened and shows what it shows: nothing is open any more. */
export function settledBy(observed: Observed, ledger: Ledger, world: World): Ledger {
  const facts = ledger.facts.map((fact) => {
    const state = stateOf(fact, observed, world);
    return { ...fact, standing: state === "whole" || (state === "gone" && fact.standing !== "no") ? ("yes" as const) : ("no" as const) };
  });
  const answered = facts.flatMap(({ standing }, number) => (standing === "yes" ? [number] : []));
  const { requestStep } = observed;
  return { facts: facts.map((fact) => ({ ...fact, behindCount: 0 })), answered, request: { begun: requestStep, done: requestStep, isErased: ledger.request.isErased } };
}

/** `gone`: all of it was the erased person's. */
function stateOf(fact: Fact, observed: Observed, world: World): "whole" | "part" | "absent" | "gone" {
  const erased = isErased(observed);
  const members = fact.members.filter((member) => !(erased && world.get(member)?.isOfErased === true));
  if (members.length === 0) return "gone";
  const foundCount = members.filter((member) => isThere(member, fact.kind, observed)).length;
  return foundCount === members.length ? "whole" : foundCount === 0 ? "absent" : "part";
}

function isThere(member: string, kind: Fact["kind"], { events, records, projects }: Observed): boolean {
  return kind === "batch" ? events.has(member) : kind === "record" ? records.has(member) : projects.has(member);
}

function wrongFact(observed: Observed, { facts }: Ledger, world: World): string | null {
  for (const fact of facts) {
    const state = stateOf(fact, observed, world);
    const shown = `${fact.kind} ${fact.members[0] ?? ""}`;
    if (state === "part") return `${shown} is there in part`;
    if (state === "absent" && (fact.standing === "yes" || fact.standing === "written")) return `${shown} was answered for and is lost`;
    if (state === "whole" && fact.standing === "no") return `${shown} was gone already and is there`;
  }
  return null;
}

/** A fact is there although one that was answered for before it was sent is not: a hole. */
function wrongOrder(observed: Observed, { facts, answered }: Ledger, world: World): string | null {
  const lost = answered.map((number) => {
    const fact = facts[number];
    return fact !== undefined && fact.standing !== "no" && stateOf(fact, observed, world) === "absent";
  });
  const firstLost = lost.indexOf(true);
  if (firstLost === -1) return null;
  for (const fact of facts)
    if (fact.behindCount > firstLost && stateOf(fact, observed, world) === "whole") return `${fact.kind} ${fact.members[0] ?? ""} is there, one that was answered for before it is not`;
  return null;
}

function neverSent({ events, records, projects }: Observed, { facts }: Ledger, world: World): string | null {
  const sent = new Set(facts.flatMap(({ members }) => members));
  for (const [key, text] of [...events, ...records]) {
    if (!sent.has(key)) return `${key} was never sent`;
    const event = world.get(key)?.event ?? null;
    if (event !== null && eventText(event) !== text) return `${key} came back as ${text}, sent was ${eventText(event)}`;
  }
  for (const project of projects) if (project !== "default" && !sent.has(project)) return `project ${project} was never sent`;
  return null;
}

function wrongRequest(observed: Observed, { request }: Ledger): string | null {
  const { requestStep, requestCount } = observed;
  if (requestCount > 1) return "the request for erasure is there twice";
  if (requestStep < request.done || requestStep > request.begun) return `the request for erasure stands at ${requestStep}, expected ${request.done} to ${request.begun}`;
  return null;
}

import type { EventInput, FilterGroupInput } from "daybook";
import type { Question } from "./random-plan.js";

/** A failing case: what arrived, and what was asked. */
export interface Case {
  readonly events: readonly EventInput[];
  readonly question: Question;
}

/** The smallest case found by leaving out events, members and filters, one at a time, while it still fails. */
export async function minimise(start: Case, fails: (smaller: Case) => Promise<boolean>): Promise<Case> {
  let smallest = start;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const smaller of smallerCases(smallest)) {
      if (!(await fails(smaller))) continue;
      smallest = smaller;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function* smallerCases({ events, question }: Case): Generator<Case> {
  for (let size = Math.ceil(events.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < events.length; at += size) yield { question, events: events.toSpliced(at, size) };
  }
  for (const input of smallerInputs(question.input)) yield { events, question: { ...question, input } as Question };
  for (const [at, event] of events.entries()) {
    for (const smaller of smallerEvents(event)) yield { question, events: events.with(at, smaller) };
  }
}

function* smallerInputs(input: Question["input"]): Generator<Question["input"]> {
  for (const member of Object.keys(input)) yield without(input, member);
  const groups: readonly FilterGroupInput[] = input.filterGroups ?? [];
  for (const [at, { filters }] of groups.entries()) {
    yield { ...input, filterGroups: groups.toSpliced(at, 1) };
    for (const index of filters.keys()) {
      yield { ...input, filterGroups: groups.with(at, { filters: filters.toSpliced(index, 1) }) };
    }
  }
}

function* smallerEvents(event: EventInput): Generator<EventInput> {
  const needed = ["id", "name", "createdAt", "created_at", "timestamp"];
  for (const member of Object.keys(event).filter((name) => !needed.includes(name))) yield without(event, member);
  for (const key of Object.keys(event.metadata ?? {})) yield { ...event, metadata: without({ ...event.metadata }, key) };
}

function without<T extends object>(value: T, member: string): T {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== member)) as T;
}

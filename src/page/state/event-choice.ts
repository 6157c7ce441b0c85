import { joinParts, listOf, splitParts, type AddressCodec } from "./codecs.js";
import { filterOf, filterParts, type Filter } from "./filter.js";

/** A choice of events: those with a name ("": any) that match filters. */
export interface EventChoice {
  readonly event: string;
  readonly filters: readonly Filter[];
}

export const ANY_EVENT: EventChoice = { event: "", filters: [] };

const STEP_COUNT = 20;
const FILTERS_PER_STEP = 4;

export function isAnyEvent({ event, filters }: EventChoice): boolean {
  return event === "" && filters.length === 0;
}

function parseChoice(text: string): EventChoice {
  const [event = "", ...rest] = splitParts(text);
  const filters: Filter[] = [];
  for (let at = 0; at + 2 < rest.length; at += 3) {
    const filter = filterOf(rest[at], rest[at + 1], rest[at + 2]);
    if (filter !== null) filters.push(filter);
  }
  return { event, filters: filters.slice(0, FILTERS_PER_STEP) };
}

function printChoice({ event, filters }: EventChoice): string {
  return joinParts([event, ...filters.flatMap(filterParts)]);
}

/** One choice of events; any event initially. */
export const eventChoice: AddressCodec<EventChoice> = {
  initial: ANY_EVENT,
  parse: ([given]) => (given === undefined ? ANY_EVENT : parseChoice(given)),
  print: (choice) => (isAnyEvent(choice) ? [] : [printChoice(choice)]),
};

/** The steps of a funnel. */
export const stepList: AddressCodec<readonly EventChoice[]> = listOf(parseChoice, printChoice, STEP_COUNT);

import type { Daybook } from "../../../src/engine/daybook.js";
import type { EventInput } from "../../../src/core/schema/event.js";

type IdentifyInput = Parameters<Daybook["identify"]>[0];
type GroupInput = Parameters<Daybook["group"]>[0];
type AliasInput = Parameters<Daybook["alias"]>[0];

/** One call that a Daybook received: an event, a record about identities, or the id of a record that is taken back. */
export type HistoryItem =
  | EventInput
  | { readonly identify: IdentifyInput }
  | { readonly group: GroupInput }
  | { readonly alias: AliasInput }
  | { readonly unlink: string };

/** What arrived, in order of arrival. */
export type History = readonly HistoryItem[];

/** The events of a history. */
export function eventsOf(history: History): EventInput[] {
  return history.filter((item): item is EventInput => !["identify", "group", "alias", "unlink"].some((kind) => Object.hasOwn(item, kind)));
}

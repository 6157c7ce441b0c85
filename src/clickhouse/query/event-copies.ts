import type { EventInput } from "../../core/schema/event.js";
import { exportedEvent } from "../../core/schema/exported-event.js";
import { metadataOf, type EventTuple } from "./event-columns.js";

/** An event as `ingest` accepts it. */
export function copyOf([id, ms, keys, metadata, ...fields]: EventTuple): EventInput & { readonly id: string } {
  const copy = exportedEvent((field) => fields[field] ?? "", id, ms, metadataOf(keys, metadata));
  // `name` is among the members: no event is stored without one.
  return copy as typeof copy & { readonly name: string };
}

import { isoOf } from "../base/time.js";
import type { EventInput } from "./event.js";
import { FIELDS } from "./fields.js";

/** An event as `ingest` takes it back: not-set fields are left out. */
export interface EventCopy {
  readonly id: string;
  readonly createdAt: string;
  readonly [member: string]: unknown;
}

/** Every stored field of one event: what `export` writes and `ingest` takes back. Not-set fields are left out. */
export type ExportedEvent = Omit<EventInput, "id" | "createdAt" | "metadata"> & {
  readonly id: string;
  readonly createdAt: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Where it was asked for and the event is somebody's. `ingest` does not take it: it follows from ids and records. */
  readonly identityId?: string;
};

/** The copy of a stored event. @param text of a field by its place among all, `""` where not set */
export function exportedEvent(text: (field: number) => string, id: string, createdAtMs: number, metadata: Record<string, unknown>): EventCopy {
  const event: { id: string; createdAt: string; [member: string]: unknown } = { id, createdAt: isoOf(createdAtMs) };
  for (const [field, { camel, accepts }] of FIELDS.entries()) {
    const value = text(field);
    if (value === "" || (accepts === "boolean" && value === "false")) continue;
    event[camel] = accepts === "number" ? Number(value) : accepts === "boolean" ? true : value;
  }
  if (Object.keys(metadata).length > 0) event["metadata"] = metadata;
  return event;
}

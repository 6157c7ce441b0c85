import { isoOf } from "../base/time.js";
import type { EventInput } from "./event.js";
import { FIELDS } from "./fields.js";

/** A stored event in the form that `ingest` accepts; fields that are not set are left out. */
export interface EventCopy {
  readonly id: string;
  readonly createdAt: string;
  readonly [member: string]: unknown;
}

/** Every stored field of one event: what `export` writes and `ingest` accepts. Fields that are not set are left out. */
export type ExportedEvent = Omit<EventInput, "id" | "createdAt" | "metadata"> & {
  readonly id: string;
  readonly createdAt: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Present if requested and the event has an identity. `ingest` rejects it: it is derived from ids and records. */
  readonly identityId?: string;
};

/** Builds the copy of a stored event. @param text returns a field's text by its index in `FIELDS`, `""` where not set */
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

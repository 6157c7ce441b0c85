import type { EventInput } from "../../core/schema/event.js";
import type { RecordInput } from "../../core/schema/record.js";
import { createHash } from "node:crypto";
import { parseTimestamp } from "../../core/base/time.js";
import { uuidText } from "../../core/base/uuid.js";

/** One row of a source: an event, or why it is rejected. `line` counts from 1. */
export type ImportRow =
  | { readonly line: number; readonly event: EventInput }
  | { readonly line: number; readonly reason: string };

/** An identity record, which full copies contain in addition to events. */
export interface ImportRecord {
  readonly line: number;
  readonly record: RecordInput;
}

/** The rows of a source, in blocks of a few hundred rows: one await per block is faster than one per row. */
export type ImportRows = AsyncIterable<readonly (ImportRow | ImportRecord)[]>;

/** Thrown if a file cannot be read at all; the message does not name the file. */
export class FileFault extends Error {}

/**
 * Drops the identity id, the sequence and the time of acceptance that an export added: identities follow from ids and records, the others from this
 * store. An invalid one stays, so that the engine rejects it.
 */
export function withoutAdded(event: EventInput): EventInput {
  const { identityId, sequence, receivedAt, ...rest } = event as EventInput & { readonly [Name in "identityId" | "sequence" | "receivedAt"]?: unknown };
  const isIdentity = typeof identityId === "string" && /^idn_[0-9a-f]{32}$/.test(identityId);
  const isSequence = /^[1-9][0-9]{0,15}$/.test(String(sequence)) && (typeof sequence === "number" || typeof sequence === "string");
  const isReceipt = receivedAt === null || (typeof receivedAt === "string" && parseTimestamp(receivedAt) !== null);
  if (!isIdentity && !isSequence && !isReceipt) return event;
  return {
    ...rest,
    ...(isIdentity || identityId === undefined ? {} : { identityId }),
    ...(isSequence || sequence === undefined ? {} : { sequence }),
    ...(isReceipt || receivedAt === undefined ? {} : { receivedAt }),
  };
}

/** A UUID (version 8): importing a file twice adds nothing, and rows of different files with the same name do not collide. */
export function rowId(set: string, line: number, text: string): string {
  const bytes = createHash("sha256").update(`row\0${set}\0${line}\0${text}`).digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return uuidText(bytes);
}

export function rowOf(read: EventInput, set: string, line: number): ImportRow {
  const event = withoutAdded(read);
  if (event.createdAt === undefined) return { line, reason: NO_TIME };
  return { line, event: event.id === undefined || event.id === null ? { ...event, id: rowId(set, line, JSON.stringify(event)) } : event };
}

/** Rejection of events without a time, which would otherwise get the time of the import. */
export const NO_TIME = "createdAt: expected a time, got none";

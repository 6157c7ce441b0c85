/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the row count */
import { Scratch, type NumberMemory } from "../../core/base/scratch.js";
import { compareCodePoints } from "../../core/base/text-order.js";
import { compareIds } from "../../core/base/uuid.js";
import { ID_COLUMN, PROJECT_COLUMN } from "../../core/schema/fields.js";
import { wasRequested, whilePinned, type Rows } from "./rows.js";

/** The parts of rows that order those of one millisecond; ids must be loaded. */
type KeyedRows = Pick<Rows, "ids" | "projectOf">;

/** Orders events of one millisecond: by id, then by project, as an id is unique only within its project. */
export interface EventKey {
  /** 16 bytes. */
  readonly id: Uint8Array;
  readonly project: string;
}

/** A placeholder for when no event shares the millisecond, so that any key will do. */
export const NO_KEY: EventKey = { id: new Uint8Array(16), project: "" };

/** The key of a row, as a copy that outlives its rows. */
export function eventKeyOf(rows: KeyedRows, row: number): EventKey {
  return { id: rows.ids().slice(row * 16, row * 16 + 16), project: rows.projectOf(row) };
}

export function compareKeys(a: EventKey, b: EventKey): number {
  return compareIds(a.id, 0, b.id, 0) || compareCodePoints(a.project, b.project);
}

export function compareWithKey(rows: KeyedRows, row: number, key: EventKey): number {
  return compareIds(rows.ids(), row * 16, key.id, 0) || compareCodePoints(rows.projectOf(row), key.project);
}

export function compareEvents(a: KeyedRows, aRow: number, b: KeyedRows, bRow: number): number {
  return compareIds(a.ids(), aRow * 16, b.ids(), bRow * 16) || compareCodePoints(a.projectOf(aRow), b.projectOf(bRow));
}

export function orderWithin(rows: KeyedRows): (a: number, b: number) => number {
  const ids = rows.ids();
  return (a, b) => compareIds(ids, a * 16, ids, b * 16) || compareCodePoints(rows.projectOf(a), rows.projectOf(b));
}

/** Whether a sealed segment contains an event. The first call reads its ids once; the next indexes them, 300 ns a row, for a constant cost. */
export async function hasEvent(rows: Rows, key: EventKey): Promise<boolean> {
  const isReady = rows.cached("idIndex", []) !== null || wasRequested(rows, "idIndex");
  return await whilePinned([rows], () => (isReady ? isIndexed(rows, key) : Scratch.of((scratch) => isListed(rows, key, scratch))));
}

async function isIndexed(rows: Rows, { id, project }: EventKey): Promise<boolean> {
  await rows.load([ID_COLUMN]);
  const stored = rows.ids();
  const index = rows.derive("idIndex", () => new IdIndex(stored, (row) => projectSalt(rows.projectOf(row))), (made) => made.byteLength);
  return index.find(stored, id, 0, (row) => rows.projectOf(row) === project, projectSalt(project)) >= 0;
}

async function isListed(rows: Rows, { id, project }: EventKey, scratch: NumberMemory): Promise<boolean> {
  const stored = await rows.readIdsOnce(scratch);
  for (let at = 0; at < stored.length; at += 16) {
    // The last bytes of ids that begin with a time differ most.
    if (stored[at + 15] !== id[15] || compareIds(stored, at, id, 0) !== 0) continue;
    const zone = rows.zone(PROJECT_COLUMN);
    if (zone !== null && (zone.min !== zone.max || zone.hasZero)) await rows.load([PROJECT_COLUMN]);
    if (rows.projectOf(at / 16) === project) return true;
  }
  return false;
}

/** An index of rows by event id and salt: open addressing over row numbers, extended as a head grows. */
export class IdIndex {
  #slots = new Uint32Array(256);
  #indexed = 0;

  /** @param stored ids of the existing rows @param saltOf spreads rows that share an id */
  constructor(
    stored: Uint8Array = new Uint8Array(0),
    readonly saltOf: (row: number) => number = () => 0,
  ) {
    this.#extend(stored);
  }

  get byteLength(): number {
    return this.#slots.byteLength;
  }

  /** The first row with an id for which `matches` holds; -1 if there is none. */
  find(stored: Uint8Array, ids: Uint8Array, offset: number, matches: (row: number) => boolean, salt = 0): number {
    this.#extend(stored);
    const mask = this.#slots.length - 1;
    for (let slot = homeOf(ids, offset, salt) & mask; this.#slots[slot] !== 0; slot = (slot + 1) & mask)
      if (compareIds(stored, (this.#slots[slot]! - 1) * 16, ids, offset) === 0 && matches(this.#slots[slot]! - 1)) return this.#slots[slot]! - 1;
    return -1;
  }

  #extend(stored: Uint8Array): void {
    const rowCount = stored.length / 16;
    if (rowCount * 2 > this.#slots.length) {
      this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(rowCount * 2)));
      this.#indexed = 0;
    }
    const mask = this.#slots.length - 1;
    for (; this.#indexed < rowCount; this.#indexed += 1) {
      let slot = homeOf(stored, this.#indexed * 16, this.saltOf(this.#indexed)) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = this.#indexed + 1;
    }
  }
}

export function projectSalt(project: string, seed = 0): number {
  let salt = seed;
  for (let at = 0; at < project.length; at += 1) salt = Math.imul(salt ^ project.charCodeAt(at), 0x01000193);
  return salt;
}

function homeOf(ids: Uint8Array, offset: number, salt: number): number {
  let hash = salt;
  for (let at = offset; at < offset + 16; at += 1) hash = Math.imul(hash ^ ids[at]!, 0x01000193);
  return hash ^ (hash >>> 15);
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the lists */
import { concat } from "../../core/base/arrays.js";
import { Yielder } from "../../core/base/yield.js";
import { denseCodes } from "../column/column.js";
import { toDeltas } from "./byte-planes.js";
import { packDeltas, unpackDeltas } from "./packed-numbers.js";
import type { Rows } from "./rows.js";

/** Pairs of ids seen together on an event, as lists of equal length; 12 bytes per pair. */
export interface LinkList {
  readonly anonymousIds: Uint32Array;
  readonly userIds: Uint32Array;
  /** When each pair was first seen together: ms of the day. */
  readonly times: Uint32Array;
}

const COUNT_BYTES = 4;

export const NO_LINKS: LinkList = { anonymousIds: new Uint32Array(0), userIds: new Uint32Array(0), times: new Uint32Array(0) };

/** The number of pairs, then anonymous ids, user ids and times as one list of packed deltas. */
export async function encodeLinks({ anonymousIds, userIds, times }: LinkList, yielder: Yielder): Promise<Uint8Array> {
  const numbers = concat([anonymousIds, userIds, times], (length) => new Uint32Array(length));
  const packed = await packDeltas(await toDeltas(numbers, yielder), yielder);
  const bytes = new Uint8Array(COUNT_BYTES + packed.length);
  new DataView(bytes.buffer).setUint32(0, times.length, true);
  bytes.set(packed, COUNT_BYTES);
  return bytes;
}

/** Null: the bytes are not those of pairs. */
export function decodeLinks(bytes: Uint8Array): LinkList | null {
  if (bytes.length < COUNT_BYTES) return null;
  const count = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  // Each number has a bit at least.
  if (count * 3 > bytes.length * 8) return null;
  const numbers = unpackDeltas(bytes.subarray(COUNT_BYTES), count * 3);
  if (numbers === null) return null;
  return { anonymousIds: numbers.subarray(0, count), userIds: numbers.subarray(count, count * 2), times: numbers.subarray(count * 2) };
}

/** Whether two lists contain the same pairs with the same times, each once, in any order. */
export function areSameLinks(one: LinkList, other: LinkList): boolean {
  const [times, others] = [timesByPair(one), timesByPair(other)];
  return times.size === other.times.length && others.size === times.size && [...others].every(([key, time]) => times.get(key) === time);
}

function timesByPair(list: LinkList): ReadonlyMap<number, number> {
  return new Map(Array.from(list.times, (time, at) => [keyOf(list, at), time]));
}

/** Upper bound of codes, exclusive: two codes fit into the 53 bits of a number. */
const LINK_SPAN = 2 ** 26;

function keyOf({ anonymousIds, userIds }: LinkList, at: number): number {
  return anonymousIds[at]! * LINK_SPAN + userIds[at]!;
}

/** Cost of a lookup of a pair, in values of a plain loop. */
const VALUES_PER_ROW = 16;

/** The earliest time of each (anonymous id, user id) that a row has together. Cost: two reads per row. */
export async function linksOf(rows: Pick<Rows, "column" | "times">, yielder = new Yielder()): Promise<LinkList> {
  const anonymous = rows.column("anonymousId");
  const user = rows.column("userId");
  if (anonymous.codes.length === 0 || user.codes.length === 0) return NO_LINKS;
  const anonymousIds = denseCodes(anonymous);
  const userIds = denseCodes(user);
  const times = rows.times();
  const earliest = new Map<number, number>();
  const note = (from: number, to: number) => {
    for (let row = from; row < to; row += 1) {
      const anonymousId = anonymousIds[row] as number;
      const userId = userIds[row] as number;
      if (anonymousId === 0 || userId === 0) continue;
      const ms = times[row] as number;
      const key = anonymousId * LINK_SPAN + userId;
      const known = earliest.get(key);
      if (known === undefined || ms < known) earliest.set(key, ms);
    }
  };
  await yielder.inPieces(anonymousIds.length, note, VALUES_PER_ROW);
  const list = { anonymousIds: new Uint32Array(earliest.size), userIds: new Uint32Array(earliest.size), times: new Uint32Array(earliest.size) };
  let at = 0;
  for (const [key, ms] of earliest) {
    const anonymousId = Math.floor(key / LINK_SPAN);
    list.anonymousIds[at] = anonymousId;
    list.userIds[at] = key - anonymousId * LINK_SPAN;
    list.times[at] = ms;
    at += 1;
  }
  await yielder.yieldAfter(earliest.size * VALUES_PER_ROW);
  return list;
}

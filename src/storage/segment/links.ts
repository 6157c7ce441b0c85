/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the lists */
import { Yielder } from "../../core/base/yield.js";
import { codesOfBytes } from "../column/codes.js";
import { denseCodes } from "../column/column.js";
import { fromDeltas, fromPlanes, toDeltas, toPlanes } from "./byte-planes.js";
import type { Rows } from "./rows.js";

/** Pairs of ids seen together on an event, as lists of equal length; 12 bytes per pair. */
export interface LinkList {
  readonly anonymousIds: Uint32Array;
  readonly userIds: Uint32Array;
  /** When each pair was first seen together: ms of the day. */
  readonly times: Uint32Array;
}

const WIDTH = 4;

export const NO_LINKS: LinkList = { anonymousIds: new Uint32Array(0), userIds: new Uint32Array(0), times: new Uint32Array(0) };

/** Encodes pairs before deflating: anonymous ids, then user ids, then times. */
export async function encodeLinks({ anonymousIds, userIds, times }: LinkList, yielder: Yielder): Promise<Uint8Array> {
  const lists = [anonymousIds, userIds, times];
  const bytes = new Uint8Array(lists.length * times.length * WIDTH);
  for (const [at, list] of lists.entries()) bytes.set(await toPlanes(await toDeltas(list, yielder), yielder), at * times.length * WIDTH);
  return bytes;
}

export function decodeLinks(bytes: Uint8Array): LinkList {
  const listLength = bytes.length / 3;
  const planesAt = (at: number) => fromPlanes(bytes.slice(at * listLength, (at + 1) * listLength), WIDTH);
  const listAt = (at: number) => fromDeltas(codesOfBytes(planesAt(at), WIDTH) as Uint32Array);
  return { anonymousIds: listAt(0), userIds: listAt(1), times: listAt(2) };
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

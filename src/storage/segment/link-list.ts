/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by the lists */
import type { Turns } from "../../core/base/turn.js";
import { codesOfBytes } from "../column/codes.js";
import { fromDeltas, fromPlanes, toDeltas, toPlanes } from "./byte-planes.js";

/** Pairs of ids seen together on an event, as lists of equal length; 12 bytes per pair. */
export interface LinkList {
  /** Codes in their dictionary. */
  readonly anonymousIds: Uint32Array;
  readonly userIds: Uint32Array;
  /** When each pair was first seen together: ms of the day. */
  readonly times: Uint32Array;
}

const WIDTH = 4;

export const NO_LINKS: LinkList = { anonymousIds: new Uint32Array(0), userIds: new Uint32Array(0), times: new Uint32Array(0) };

/** Encodes pairs before deflating: anonymous ids, then user ids, then times. */
export async function encodeLinks({ anonymousIds, userIds, times }: LinkList, turns: Turns): Promise<Uint8Array> {
  const lists = [anonymousIds, userIds, times];
  const bytes = new Uint8Array(lists.length * times.length * WIDTH);
  for (const [at, list] of lists.entries()) bytes.set(await toPlanes(await toDeltas(list, turns), turns), at * times.length * WIDTH);
  return bytes;
}

/** Decodes pairs from their inflated bytes. */
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
export const LINK_SPAN = 2 ** 26;

function keyOf({ anonymousIds, userIds }: LinkList, at: number): number {
  return anonymousIds[at]! * LINK_SPAN + userIds[at]!;
}

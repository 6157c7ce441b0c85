import type { z } from "zod";
import type { Caller } from "../access/rights.js";
import type { KeySource, ClientRequest, ClientAnswer } from "../routing/route.js";
import { objectOf, isObject, faultOf, type JsonObject, type ReceivedItem } from "../tracking/call.js";
import {
  authorizeRecords, errorOf, rejectedBy, storeEntries, forEachYielding, type TrackingOutcome, type Rejected, type ReceivedEntry,
} from "../tracking/store-entries.js";
import type { ErrorCode } from "../../core/base/errors.js";
import { checkShape } from "../shapes/check-shape.js";
import { ADDRESSES } from "./people.js";
import { toHex } from "../../core/base/hash.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { Clock } from "../../core/base/time.js";

/** Adapter for one client library: reads its requests, and makes the answers that it expects. */
export interface ClientAdapter {
  /** Shape of the body, or of the query data that replaces it. */
  readonly shape: z.ZodObject;
  /** The token where the library puts it; a value that is not text counts as none. */
  readonly keyOf: (sent: KeySource) => unknown;
  /** The items of a request whose body has passed `shape`. */
  readonly itemsOf: (sent: ClientRequest) => readonly unknown[];
  /** The sender's time of sending, and the id of an item. Absent: the library does not send its time. */
  readonly clock?: { readonly sentAt: (sent: ClientRequest) => unknown; readonly idOf: (item: JsonObject) => unknown };
  /** True: the library resends items without an id, after pauses. */
  readonly repeats?: boolean;
  /** Converts an item; empty if Daybook cannot store it. @throws invalid_parameter */
  readonly read: (item: unknown, context: ItemContext) => readonly ReceivedItem[] | Promise<readonly ReceivedItem[]>;
  /** The answer that the library takes for success. */
  readonly answer: (outcome: TrackingOutcome, sent: ClientRequest) => unknown;
  /** The answer about bad items, with status 400. Default: the error of the first one. */
  readonly refusal?: (rejected: readonly Rejected[]) => object;
}

export interface ItemContext {
  readonly sent: ClientRequest;
  /** Prefix of member names in errors. */
  readonly at: string;
  /** Currency of amounts without one of their own. */
  readonly currency: string;
  /** Our clock minus the sender's, in ms; null: unknown. */
  readonly clockOffsetMs: number | null;
  readonly makeId: IdMaker;
}

/**
 * Makes an id from the content of an item with a time: the same bytes, sent again, get the same id. Equal items of one request differ by their order.
 * An item without a time gets a random id, unless the client repeats items.
 * @param content without addresses and other data that is not stored, because the id would confirm a guess of it
 */
export type IdMaker = (content: unknown, hasTime: boolean) => string;

/** Depth of the search for the key: an event or record, its metadata or traits, changes of traits, and objects in these. */
const KEY_DEPTH = 4;

/** Removes members whose value is the key, which some clients and programs also put elsewhere. Returns the value itself if it has none. */
function withoutKey<Value>(value: Value, key: string, depth: number = KEY_DEPTH): Value {
  if (!isObject(value) || depth === 0) return value;
  let isChanged = false;
  const entries: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const stripped = member === key ? undefined : withoutKey(member, key, depth - 1);
    if (stripped !== member) isChanged = true;
    if (member !== key) entries.push([name, stripped]);
  }
  return isChanged ? (Object.fromEntries(entries) as Value) : value;
}

/** Rejections hidden from the client, which must not resend them: an erased person; an alias with a token of one project (a notice reports it). */
const UNREPORTED: readonly ErrorCode[] = ["suppressed", "organization_token_required"];

/** Bad items do not stop the others, and are reported afterwards. @throws the first bad item's error, insufficient_scope, as ingest */
export async function storeRequest(client: ClientAdapter, caller: Caller, sent: ClientRequest): Promise<ClientAnswer> {
  checkShape(client.shape, sent.body, { secret: true });
  const makeId = idMaker(client, caller, sent);
  const entries: ReceivedEntry[] = [];
  const faults: Rejected[] = [];
  const items = client.itemsOf(sent);
  const { currency = "USD" } = caller.daybook;
  const { clock } = client;
  const idsOf = ({ idOf }: NonNullable<typeof clock>) => items.map((item) => idOf(objectOf(item)));
  const clockOffsetMs = clock === undefined ? null : sent.senderClock.offsetMs(clock.sentAt(sent), idsOf(clock));
  await forEachYielding(items, async (item, index) => {
    try {
      const received = await client.read(item, { sent, at: items.length === 1 ? "" : `[${index}]`, currency, clockOffsetMs, makeId });
      entries.push(...received.map((entry) => ({ index, ...itemWithoutKey(entry, sent.key) })));
    } catch (thrown) {
      faults.push(rejectedBy(faultOf(thrown), index));
    }
  });
  authorizeRecords(entries, caller);
  const outcome = await storeEntries(entries, caller, sent.onSentNotices);
  const stored = items.length === 1 ? outcome.rejected : outcome.rejected.map(withIndex);
  const rejected = [...faults, ...stored].filter(({ code }) => !UNREPORTED.includes(code)).sort((a, b) => a.index - b.index);
  const [first] = rejected;
  if (first === undefined) return { status: 200, code: null, value: client.answer(outcome, sent) };
  if (client.refusal === undefined) throw errorOf(first);
  return { status: 400, code: first.code, value: { status: 0, reason: first.code, ...client.refusal(rejected) } };
}

function itemWithoutKey(item: ReceivedItem, key: string): ReceivedItem {
  return "event" in item ? { event: withoutKey(item.event, key) } : { ...item, call: withoutKey(item.call, key) };
}

/** Prefixes the member names in a message with the item's index, as shape errors do. */
function withIndex(rejected: Rejected): Rejected {
  return { ...rejected, message: `[${rejected.index}].${rejected.message}` };
}

/** A replacer for `JSON.stringify` that drops IP addresses, which are never stored. */
function withoutAddress(name: string, value: unknown): unknown {
  return ADDRESSES.some((address) => address === name) ? undefined : value;
}

function idMaker({ repeats }: ClientAdapter, { project }: Caller, sent: ClientRequest): IdMaker {
  const counts = new Map<string, number>();
  return (content, hasTime) => {
    const text = JSON.stringify(content, withoutAddress);
    const hashed = (count: number) => sent.sha256Hex(`${project ?? ""}\0${count}\0${text}`);
    if (repeats === true) return sent.repeatId(text, hasTime ? hashed : null);
    if (!hasTime) return globalThis.crypto.randomUUID();
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return hashed(count);
  };
}

export interface RepeatableItem {
  readonly id: string;
  /** Index among the equal items, from 1. */
  readonly nth: number;
  /** When it was answered; null: not yet. */
  answeredMs: number | null;
  /** True: it was refused, so the client will certainly resend it. */
  isFailed: boolean;
}

/** Equal items. Items without a pause between them are distinct; items after a pause repeat those before it. */
interface EqualItems {
  lastMs: number;
  /** Received since the last pause. */
  newer: RepeatableItem[];
  /** Received before the last pause. */
  older: RepeatableItem[];
}

/**
 * Assigns ids to items that a client resends without one. A client resends after a pause: an equal item that arrives sooner, or much later, is new.
 * Ids of items without a time are random, because a hash would confirm a guess of the sender's address.
 */
export class Repeats {
  readonly #secret = toHex(globalThis.crypto.getRandomValues(new Uint8Array(32)));
  /** By hash, the most recent last. */
  readonly #byHash = new Map<string, EqualItems>();
  #count = 0;

  constructor(
    readonly clock: Clock,
    readonly sha256Hex: (text: string) => string,
  ) {}

  /**
   * Returns the item with its id: that of the item it repeats, or a new one.
   * @param text everything that distinguishes the item, the sender's address included; only a hash of it is stored, for a short time
   * @param atMs time of receipt, epoch ms
   * @param makeId makes an id from the index among equal items, from 1; null: random
   */
  assign(text: string, atMs: number, makeId: ((nth: number) => string) | null): RepeatableItem {
    const nowMs = this.clock.now();
    const key = this.sha256Hex(`${this.#secret}\0${text}`);
    const { lastMs, newer, older } = this.#take(key) ?? { lastMs: atMs, newer: [], older: [] };
    const isAfterPause = atMs - lastMs >= SERVER_LIMITS.repeatPauseMs;
    const equal: EqualItems = isAfterPause
      ? { lastMs: Math.max(lastMs, atMs), newer: [], older: [...older, ...newer].filter((item) => isRecent(item, nowMs)) }
      : { lastMs: Math.max(lastMs, atMs), newer, older };
    const repeated = equal.older.find(({ isFailed }) => isFailed) ?? equal.older[0];
    if (repeated !== undefined) equal.older.splice(equal.older.indexOf(repeated), 1);
    const nth = repeated?.nth ?? [...equal.older, ...equal.newer].reduce((max, item) => Math.max(max, item.nth), 0) + 1;
    const item: RepeatableItem = { id: repeated?.id ?? makeId?.(nth) ?? globalThis.crypto.randomUUID(), nth, answeredMs: null, isFailed: false };
    equal.newer.push(item);
    if (countOf(equal) > SERVER_LIMITS.equalRepeatCount) (equal.older.length > 0 ? equal.older : equal.newer).shift();
    this.#put(key, equal);
    this.#forget(nowMs);
    return item;
  }

  answered(item: RepeatableItem, isFailed: boolean): void {
    item.answeredMs = this.clock.now();
    item.isFailed = isFailed;
  }

  #take(key: string): EqualItems | undefined {
    const equal = this.#byHash.get(key);
    this.#byHash.delete(key);
    if (equal !== undefined) this.#count -= countOf(equal);
    return equal;
  }

  #put(key: string, equal: EqualItems): void {
    this.#byHash.set(key, equal);
    this.#count += countOf(equal);
  }

  #forget(nowMs: number): void {
    for (const [key, { newer }] of this.#byHash) {
      const newest = newer.at(-1);
      if (this.#count <= SERVER_LIMITS.rememberedRepeatCount && newest !== undefined && isRecent(newest, nowMs)) return;
      this.#take(key);
    }
  }
}

function countOf({ newer, older }: EqualItems): number {
  return newer.length + older.length;
}

function isRecent({ answeredMs }: RepeatableItem, nowMs: number): boolean {
  return answeredMs === null || Math.abs(nowMs - answeredMs) < SERVER_LIMITS.repeatMs;
}

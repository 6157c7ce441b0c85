import type { z } from "zod";
import type { ClientKeyed, ClientSent, Caller, ClientAnswer } from "../routing/route.js";
import { objectOf, isObject, faultOf, type JsonObject, type ReceivedItem } from "../tracking/call.js";
import { authorizeRecords, errorOf, rejectedBy, storeEntries, forEachYielding } from "../tracking/store-entries.js";
import type { TrackingOutcome, Rejected, ReceivedEntry } from "../tracking/store-entries.js";
import type { ErrorCode } from "../../core/base/errors.js";
import { checkShape } from "../shapes/check-shape.js";
import { ADDRESSES } from "./people.js";
import { toHex } from "../../core/base/hash.js";
import { SERVER_LIMITS } from "../../core/base/server-limits.js";
import type { Clock } from "../../core/base/clock.js";

/** Adapter for one client library: what it sends, and which answer it expects. */
export interface ClientAdapter {
  /** Shape of the body, or of the query data that replaces it. */
  readonly shape: z.ZodObject;
  /** The token where the library puts it; anything but text counts as none. */
  readonly keyOf: (sent: ClientKeyed) => unknown;
  /** The items of a request whose body has passed `shape`. */
  readonly itemsOf: (sent: ClientSent) => readonly unknown[];
  /** The sender's clock when it sent, and the id of an item. Absent: the library does not send its time. */
  readonly clock?: { readonly sentAt: (sent: ClientSent) => unknown; readonly idOf: (item: JsonObject) => unknown };
  /** True: the library resends items without an id, after pauses. */
  readonly repeats?: boolean;
  /** Converts an item; empty if Daybook cannot store it. @throws invalid_parameter */
  readonly read: (item: unknown, reading: ItemContext) => readonly ReceivedItem[] | Promise<readonly ReceivedItem[]>;
  /** The answer that the library takes for success. */
  readonly answer: (outcome: TrackingOutcome, sent: ClientSent) => unknown;
  /** The answer about bad items, with status 400. Default: the error of the first one. */
  readonly refusal?: (rejected: readonly Rejected[]) => object;
}

/** Context for the conversion of one item. */
export interface ItemContext {
  readonly sent: ClientSent;
  /** Prefix of member names in errors. */
  readonly at: string;
  /** Currency of amounts without one of their own. */
  readonly currency: string;
  /** Our clock minus the sender's, in ms; null: unknown. */
  readonly clockOffsetMs: number | null;
  /** Makes an id for an item without one. */
  readonly idOf: IdMaker;
}

/**
 * Makes an id from the content of an item with a time: the same bytes, sent again, get the same id. Equal items of one request differ by their order.
 * An item without a time gets a random id, unless the client repeats items.
 * @param content without addresses and other data that is not stored: the id would confirm a guess of it
 */
export type IdMaker = (content: unknown, hasTime: boolean) => string;

/** Depth of the search for the key: an event or record, its metadata or traits, changes of traits, and objects among these. */
const LEVELS = 4;

/** Removes members whose value is the key, which some clients and programs also put elsewhere; without any, returns the value itself. */
function withoutKey<Value>(value: Value, key: string, levels: number = LEVELS): Value {
  if (!isObject(value) || levels === 0) return value;
  let isChanged = false;
  const kept: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const left = member === key ? undefined : withoutKey(member, key, levels - 1);
    if (left !== member) isChanged = true;
    if (member !== key) kept.push([name, left]);
  }
  return isChanged ? (Object.fromEntries(kept) as Value) : value;
}

/** Not the sender's mistakes, and not to be resent: an erased person; an alias with a token of one project, which a notice reports. */
const UNBLAMED: readonly ErrorCode[] = ["suppressed", "organization_token_required"];

/**
 * Stores what a client sent. Bad items do not stop the others, and are reported afterwards.
 * @throws the error of the first bad item, insufficient_scope, and what ingest throws
 */
export async function takeSent(client: ClientAdapter, caller: Caller, sent: ClientSent): Promise<ClientAnswer> {
  checkShape(client.shape, sent.body, { secret: true });
  const idOf = idMaker(client, caller, sent);
  const entries: ReceivedEntry[] = [];
  const faults: Rejected[] = [];
  const items = client.itemsOf(sent);
  const { currency = "USD" } = caller.daybook;
  const { clock } = client;
  const clockOffsetMs = clock === undefined ? null : sent.senderClock.offsetMs(clock.sentAt(sent), items.map((item) => clock.idOf(objectOf(item))));
  await forEachYielding(items, async (item, index) => {
    try {
      const told = await client.read(item, { sent, at: items.length === 1 ? "" : `[${index}]`, currency, clockOffsetMs, idOf });
      entries.push(...told.map((each) => ({ index, ...keyless(each, sent.key) })));
    } catch (thrown) {
      faults.push(rejectedBy(faultOf(thrown), index));
    }
  });
  authorizeRecords(entries, caller);
  const outcome = await storeEntries(entries, caller, sent.onSentNotices);
  const stored = items.length === 1 ? outcome.rejected : outcome.rejected.map(placed);
  const rejected = [...faults, ...stored].filter(({ code }) => !UNBLAMED.includes(code)).sort((a, b) => a.index - b.index);
  const [first] = rejected;
  if (first === undefined) return { status: 200, code: null, value: client.answer(outcome, sent) };
  if (client.refusal === undefined) throw errorOf(first);
  return { status: 400, code: first.code, value: { status: 0, reason: first.code, ...client.refusal(rejected) } };
}

function keyless(told: ReceivedItem, key: string): ReceivedItem {
  return "event" in told ? { event: withoutKey(told.event, key) } : { ...told, call: withoutKey(told.call, key) };
}

/** Prefixes the member names in a message with the item's index, as shape errors do. */
function placed(rejected: Rejected): Rejected {
  return { ...rejected, message: `[${rejected.index}].${rejected.message}` };
}

/** Drops members with such names, which are never stored. */
function withoutAddress(name: string, value: unknown): unknown {
  return ADDRESSES.some((each) => each === name) ? undefined : value;
}

function idMaker({ repeats }: ClientAdapter, { project }: Caller, sent: ClientSent): IdMaker {
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

/** One of several equal items. */
export interface Handed {
  readonly id: string;
  readonly nth: number;
  /** When it was answered; null: not yet. */
  answeredMs: number | null;
  /** True: it was refused, so the client will certainly resend it. */
  isFailed: boolean;
}

/** Equal items. Those without a pause between them are distinct; those after a pause repeat the ones before it. */
interface Equal {
  lastMs: number;
  /** Since the last pause. */
  newer: Handed[];
  /** Before the last pause. */
  older: Handed[];
}

/**
 * Assigns ids to items that a client resends without one. It resends after a pause: what comes sooner, or much later, is new.
 * Ids of items without a time are random, so that they do not reveal where something was sent from.
 */
export class Repeats {
  readonly #secret = toHex(globalThis.crypto.getRandomValues(new Uint8Array(32)));
  /** By hash, the most recent one last. */
  readonly #handed = new Map<string, Equal>();
  #count = 0;

  constructor(
    readonly clock: Clock,
    readonly sha256Hex: (text: string) => string,
  ) {}

  /**
   * @param text everything that distinguishes the item, the sender's address included; only a hash of it is kept, and briefly
   * @param atMs time of receipt, epoch ms
   * @param named makes an id from the index among equal items, from 1; null: random
   */
  handedTo(text: string, atMs: number, named: ((nth: number) => string) | null): Handed {
    const nowMs = this.clock.now();
    const key = this.sha256Hex(`${this.#secret}\0${text}`);
    const { lastMs, newer, older } = this.#take(key) ?? { lastMs: atMs, newer: [], older: [] };
    const isAfterPause = atMs - lastMs >= SERVER_LIMITS.repeatPauseMs;
    const equal: Equal = { lastMs: Math.max(lastMs, atMs), newer: isAfterPause ? [] : newer, older: isAfterPause ? [...older, ...newer] : older };
    if (isAfterPause) equal.older = equal.older.filter((each) => isFresh(each, nowMs));
    const known = equal.older.find(({ isFailed }) => isFailed) ?? equal.older[0];
    if (known !== undefined) equal.older.splice(equal.older.indexOf(known), 1);
    const nth = known?.nth ?? [...equal.older, ...equal.newer].reduce((most, each) => Math.max(most, each.nth), 0) + 1;
    const handed: Handed = { id: known?.id ?? named?.(nth) ?? globalThis.crypto.randomUUID(), nth, answeredMs: null, isFailed: false };
    equal.newer.push(handed);
    if (equal.older.length + equal.newer.length > SERVER_LIMITS.equalRepeatCount) (equal.older.length > 0 ? equal.older : equal.newer).shift();
    this.#put(key, equal);
    this.#forget(nowMs);
    return handed;
  }

  /** Records the outcome of an item. */
  answered(handed: Handed, isFailed: boolean): void {
    handed.answeredMs = this.clock.now();
    handed.isFailed = isFailed;
  }

  #take(key: string): Equal | undefined {
    const equal = this.#handed.get(key);
    this.#handed.delete(key);
    if (equal !== undefined) this.#count -= countOf(equal);
    return equal;
  }

  #put(key: string, equal: Equal): void {
    this.#handed.set(key, equal);
    this.#count += countOf(equal);
  }

  #forget(nowMs: number): void {
    for (const [key, { newer }] of this.#handed) {
      const newest = newer.at(-1);
      if (this.#count <= SERVER_LIMITS.rememberedRepeatCount && newest !== undefined && isFresh(newest, nowMs)) return;
      this.#take(key);
    }
  }
}

function countOf({ newer, older }: Equal): number {
  return newer.length + older.length;
}

function isFresh({ answeredMs }: Handed, nowMs: number): boolean {
  return answeredMs === null || Math.abs(nowMs - answeredMs) < SERVER_LIMITS.repeatMs;
}

import type { ErrorCode } from "../../core/base/errors.js";
import type { Caller, ClientAnswer, ClientSent } from "../routing/route.js";
import { checkShape } from "../shapes/check-shape.js";
import { faultOf } from "../tracking/fault-of.js";
import { forEachYielding } from "../tracking/for-each-yielding.js";
import { objectOf, isObject } from "../tracking/members.js";
import { authorizeRecords, errorOf, rejectedBy, storeEntries, type ReceivedEntry, type Rejected, type ReceivedItem } from "../tracking/store-entries.js";
import type { ClientAdapter, IdMaker } from "./client.js";
import { ADDRESSES } from "./fields.js";

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

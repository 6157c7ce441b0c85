import { DaybookError, type ErrorCode, type ErrorDetails } from "../../core/base/errors.js";
import type { AdjustedEvent, EventInput } from "../../core/schema/event.js";
import { createdAtOf } from "../../core/schema/instant.js";
import { idOfJson } from "../../core/base/json-text.js";
import type { IdentifyInput, LinkResult } from "../../core/schema/record.js";
import { authorize, hideSuppressed, type Caller, type ServedDaybook } from "../access/rights.js";
import type { HeaderNotice } from "../answer/headers.js";
import { faultOf, withUsableIds, type TrackingCall, type RecordKind, type ReceivedItem, type ReceivedEvent, type ReceivedRecord } from "./call.js";
import { yieldToEventLoop } from "../../core/base/yield.js";

/** Names of call members by their names in the library. */
const CALL_NAMES: Readonly<Record<string, string>> = {
  companyId: "groupId",
  from: "previousId",
  to: "userId",
  id: "messageId",
  createdAt: "timestamp",
};

/** Stores an identify, group or alias call. @throws what the library throws, with the member names of the call */
async function storeRecord(
  kind: RecordKind,
  call: TrackingCall,
  createdAtMs: number | null,
  daybook: ServedDaybook,
): Promise<LinkResult> {
  const { userId = null, anonymousId = null, traits = null, groupId = "", previousId = "" } = call;
  const base = { id: call.messageId ?? null, createdAt: createdAtMs === null ? null : createdAtOf(createdAtMs) };
  // The library refuses a person without any id.
  const person = { userId: idOfJson(userId), anonymousId: idOfJson(anonymousId), traits } as IdentifyInput;
  try {
    if (kind === "identify") return await daybook.identify({ ...base, ...person });
    if (kind === "group") return await daybook.group({ ...base, ...person, companyId: idOfJson(groupId) });
    return await daybook.alias({ ...base, from: idOfJson(previousId), to: idOfJson(userId ?? "") });
  } catch (thrown) {
    throw toCallNames(thrown);
  }
}

function toCallNames(thrown: unknown): unknown {
  const param = thrown instanceof DaybookError ? thrown.details.param : undefined;
  const name = param === undefined ? undefined : CALL_NAMES[param];
  if (!(thrown instanceof DaybookError) || name === undefined) return thrown;
  const message = thrown.message.replace(`${param}: `, `${name}: `);
  return new DaybookError(thrown.code, message, { ...thrown.details, param: name }, { cause: thrown });
}

export type ReceivedEntry = ReceivedItem & { readonly index: number };

/** An item that was not stored, and why. Not an error object: ten thousand of them would take a hundred megabytes. */
export interface Rejected {
  readonly index: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: ErrorDetails;
}

export function rejectedBy({ code, message, details }: DaybookError, index: number): Rejected {
  return { index, code, message, details };
}

export function errorOf({ code, message, details }: Rejected): DaybookError {
  return new DaybookError(code, message, details);
}

export interface TrackingOutcome {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly Rejected[];
  readonly adjusted: readonly AdjustedEvent[];
}

export function authorizeRecords(entries: readonly ReceivedEntry[], { token }: Caller): void {
  if (entries.some(isRecord)) authorize({ scope: "identities:write" }, token);
}

/** An alias sent with a token of one project would change identities in all projects. */
const ALIAS_REFUSED = {
  code: "organization_token_required",
  message: "alias: expected an organization token, got a project token; an alias changes identities in every project",
  details: {},
} as const;

/** Stores events as one batch and each record by itself, all concurrently, because their order does not matter. A bad one stops no other. */
export async function storeEntries(
  sent: readonly ReceivedEntry[],
  { daybook, project, token }: Caller,
  onNotices: (notices: readonly HeaderNotice[]) => void,
): Promise<TrackingOutcome> {
  const notices: HeaderNotice[] = [];
  const entries = sent.map((entry) => withUsableIds(entry, (noId) => notices.push(noId))).filter((entry) => entry !== null);
  const isRefused = (entry: ReceivedEntry) => token.project !== null && isAlias(entry);
  const refused = entries.filter(isAlias).filter(isRefused);
  for (const { call } of refused) notices.push({ code: "organization_token_required", param: "previousId", name: String(call.previousId) });
  if (notices.length > 0) onNotices(notices);
  const [events, records] = [entries.filter(isEvent), entries.filter(isRecord).filter((entry) => !isRefused(entry))];
  const ingesting = events.length === 0 ? NO_EVENTS : daybook.ingest(events.map(withCreatedAt), { ...(project === null ? {} : { project }), onRejected: "list" });
  const storing = records.map(({ record, call, createdAtMs }) => storeRecord(record, call, createdAtMs, daybook).catch(faultOf));
  // Wait even if one fails, so that nothing is still being written when the answer is sent.
  await Promise.allSettled([ingesting, ...storing]);
  const [ingested, links] = [hideSuppressed(await ingesting, token), await Promise.all(storing)];
  const indexIn = (all: readonly ReceivedEntry[], at: number) => all[at]?.index ?? 0;
  const rejected = ingested.rejected.map(({ index, code, message }) => {
    return { index: indexIn(events, index), code: code as ErrorCode, message, details: {} };
  });
  for (const { index } of refused) rejected.push({ index, ...ALIAS_REFUSED });
  const adjusted = ingested.adjusted.map(({ index, createdAt }) => ({ index: indexIn(events, index), createdAt }));
  let accepted = ingested.accepted;
  for (const [at, link] of links.entries()) {
    const isHidden = link instanceof DaybookError && link.code === "suppressed" && token.project !== null;
    if (link instanceof DaybookError && !isHidden) rejected.push(rejectedBy(link, indexIn(records, at)));
    else accepted += 1;
    if ("adjusted" in link && link.adjusted !== undefined) adjusted.push({ index: indexIn(records, at), createdAt: link.adjusted.createdAt });
  }
  return { accepted, duplicates: ingested.duplicates, rejected, adjusted: adjusted.sort((a, b) => a.index - b.index) };
}

/** The outcome of an ingest of nothing. */
export const NO_EVENTS = { accepted: 0, duplicates: 0, rejected: [], adjusted: [] };

/** Marks a numeric time as ms: it may have been seconds, or text from before 1973. */
function withCreatedAt({ event }: ReceivedEvent): EventInput {
  return typeof event.createdAt === "number" ? { ...event, createdAt: createdAtOf(event.createdAt) } : event;
}

function isRecord(entry: ReceivedEntry): entry is ReceivedEntry & ReceivedRecord {
  return "record" in entry;
}

function isAlias(entry: ReceivedEntry): entry is ReceivedEntry & ReceivedRecord {
  return isRecord(entry) && entry.record === "alias";
}

function isEvent(entry: ReceivedEntry): entry is ReceivedEntry & ReceivedEvent {
  return "event" in entry;
}

/** Few enough for one turn: reporting the fault of one item takes up to 50 µs. */
const ITEMS_PER_TURN = 128;

/** Processes items one after the other, and yields between chunks. */
export async function forEachYielding<Item>(items: readonly Item[], act: (item: Item, index: number) => void | Promise<void>): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % ITEMS_PER_TURN === 0) await yieldToEventLoop();
    const acting = act(item, index);
    if (acting !== undefined) await acting;
  }
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { runYielding, yieldAfterSlices, Yielder } from "../../core/base/yield.js";
import { emailsInTraits, looksLikeEmail, normalEmail, traitsWithoutEmails } from "../../identity/emails.js";
import { RECORD_FIELDS, RECORD_FIELD_COUNT, RECORD_KINDS, RecordTable } from "../../identity/record-table.js";
import { denseCodes } from "../../storage/column/column.js";
import type { Dictionaries } from "../../storage/column/dictionaries.js";
import { whilePinned } from "../../storage/segment/rows.js";
import type { Segment } from "../../storage/segment/segment.js";
import { runsOf, type NewDeletion } from "../files/deletions-file.js";
import type { Store } from "../live/store.js";
import { CodesByDictionary, noteRecord, replaceContent, rewriteWithout, settleCodes, type RemovedRows, type Rewritten } from "./replace-content.js";

/** Codes in the dictionaries of user ids and anonymous ids. */
interface Erased {
  readonly userIds: ReadonlySet<number>;
  readonly anonymousIds: ReadonlySet<number>;
  /** The email by which they were found, in lower case; null if by id. */
  readonly email: string | null;
}

export interface ErasedCounts {
  readonly events: number;
  readonly identifyCalls: number;
  readonly groupCalls: number;
  readonly aliasCalls: number;
  /** Emails that belonged only to the erased persons. */
  readonly emails: readonly string[];
  readonly emailCount: number;
  readonly dictionaryValues: number;
  readonly segmentsRewritten: number;
}

/**
 * Erases every event and record of some ids from files and memory, their emails from the traits of others, and every value that
 * nothing else uses. Requires that everything is sealed and no commit or seal is in progress. One manifest puts it into effect, and nothing
 * can fail after that; when `whenUnread` resolves, no query sees the old rows and the old files may be removed (`removeOrphans`).
 * Cost: the segments with rows of the ids, and a scan of the columns whose values may go.
 * @param privacyText the privacy requests as they are afterwards
 */
export async function erase(
  store: Store,
  erased: Erased,
  privacyText: (counts: ErasedCounts) => Promise<string>,
  nowMs: number,
  forget: () => void,
): Promise<RemovedRows> {
  try {
    return await eraseAll(store, erased, privacyText, nowMs, forget);
  } catch (error) {
    // Discard traits without the emails, which nothing uses: another erasure would not find them.
    store.forgetUnjournaled();
    throw error;
  }
}

async function eraseAll(
  store: Store,
  erased: Erased,
  privacyText: (counts: ErasedCounts) => Promise<string>,
  nowMs: number,
  forget: () => void,
): Promise<RemovedRows> {
  const codes = new CodesByDictionary();
  const rewritten: Rewritten[] = [];
  const changed: ChangedSequences = { delete: [], clearAnonymousId: [] };
  for (const segment of store.catalog.segments) {
    const made = await rewrite(store, segment, erased, codes, changed);
    if (made !== null) rewritten.push(made);
  }
  const { table, gone } = withoutRecords(store, erased, codes);
  // What is compared with all values, or adds some, would index them at once.
  await runYielding(store.dictionaries.indexing(), yieldAfterSlices());
  const emails = erasedEmails(store, erased, table, codes);
  await cutEmails(store.dictionaries, emails, table, codes);
  const recordOnlyIds = await settleCodes(store, rewritten, table, codes);
  const counts: ErasedCounts = {
    events: rewritten.reduce((sum, { goneCount }) => sum + goneCount, 0),
    ...gone,
    emails: [...emails],
    emailCount: codes.of("email").size,
    dictionaryValues: codes.size,
    segmentsRewritten: rewritten.length,
  };
  return await replaceContent(store, { rewritten, table, codes, recordOnlyIds, privacy: await privacyText(counts), deletions: deletionsOf(changed), nowMs }, forget);
}

/** Events that are erased, and those of others that lose a device. */
type ChangedSequences = Readonly<Record<NewDeletion["action"], number[]>>;

function deletionsOf(changed: ChangedSequences): NewDeletion[] {
  const actions = ["delete", "clearAnonymousId"] as const;
  return actions.filter((action) => changed[action].length > 0).map((action) => ({ action, projectSha256: null, beforeMs: null, idPrefix: null, runs: runsOf(changed[action]) }));
}

/** Writes a segment without the rows of the erased; null if it has none of their ids. */
async function rewrite(
  store: Store,
  segment: Segment,
  { userIds, anonymousIds }: Erased,
  codes: CodesByDictionary,
  changed: ChangedSequences,
): Promise<Rewritten | null> {
  return await whilePinned([segment], async () => {
    await segment.load(["userId", "anonymousId"]);
    const users = denseCodes(segment.column("userId"));
    const anonymous = denseCodes(segment.column("anonymousId"));
    const gone: number[] = [];
    const cleared: number[] = [];
    for (let row = 0; row < segment.rowCount; row += 1) {
      const user = users[row] ?? 0;
      const hasAnonymous = anonymousIds.has(anonymous[row] ?? 0);
      const isGone = user !== 0 ? userIds.has(user) : hasAnonymous;
      if (isGone) gone.push(row);
      else if (hasAnonymous) cleared.push(row);
    }
    if (gone.length === 0 && cleared.length === 0) return null;
    for (const code of anonymousIds) codes.add("anonymousId", code);
    // Others used one of their devices later: those events stay, but without its id.
    const rewritten = await rewriteWithout(store, segment, Uint32Array.from(gone), codes, new Map([["anonymousId", anonymousIds]]));
    const sequences = segment.sequences();
    for (const row of gone) changed.delete.push(sequences[row]!);
    for (const row of cleared) changed.clearAnonymousId.push(sequences[row]!);
    return rewritten;
  });
}

function withoutRecords(store: Store, erased: Erased, codes: CodesByDictionary) {
  const { records } = store;
  const isGone = goneRecords(store, erased);
  const table = new RecordTable();
  const gone = { identifyCalls: 0, groupCalls: 0, aliasCalls: 0 };
  const anonymousAt = RECORD_FIELDS.indexOf("anonymousId");
  for (let row = 0; row < records.rowCount; row += 1) {
    const kind = records.kinds[row]!;
    if (isGone[row] === 1) {
      noteRecord(codes, records, row);
      if (kind === RECORD_KINDS.identify) gone.identifyCalls += 1;
      if (kind === RECORD_KINDS.group) gone.groupCalls += 1;
      if (kind === RECORD_KINDS.alias) gone.aliasCalls += 1;
      continue;
    }
    const at = row * RECORD_FIELD_COUNT;
    const fields = records.codes.slice(at, at + RECORD_FIELD_COUNT);
    if (erased.anonymousIds.has(fields[anonymousAt]!)) fields[anonymousAt] = 0;
    table.append(kind, records.timeOf(row), records.ids, row * 16, records.sequences[row]!, fields, 0);
  }
  return { table, gone };
}

/** 1 for each record to erase: theirs, retracted ones with an email that is theirs alone, and the retractions of any of these. */
function goneRecords({ records, resolver, dictionaries }: Store, { userIds, anonymousIds, email }: Erased): Uint8Array {
  const isGone = new Uint8Array(records.rowCount);
  const emails = new Set([dictionaries.named("email").codeOf(email ?? "")]);
  for (let row = 0; row < records.rowCount; row += 1) {
    if (!isOfErased(row)) continue;
    isGone[row] = 1;
    emails.add(records.code(row, "email"));
  }
  emails.delete(0);
  // An email by which someone else is known does not count.
  for (let row = 0; row < records.rowCount; row += 1)
    if (isGone[row] === 0 && resolver.isLive(row, records.rowCount)) emails.delete(records.code(row, "email"));
  for (let row = 0; row < records.rowCount; row += 1)
    if (!resolver.isLive(row, records.rowCount) && emails.has(records.code(row, "email"))) isGone[row] = 1;
  for (let row = 0; row < records.rowCount; row += 1)
    if (records.kinds[row] === RECORD_KINDS.unlink && isGone[records.find(records.ids, row * 16)] === 1) isGone[row] = 1;
  return isGone;

  function isOfErased(row: number): boolean {
    const userId = records.code(row, "userId");
    const anonymousId = records.code(row, "anonymousId");
    if (records.kinds[row] === RECORD_KINDS.unlink) return false;
    if (records.kinds[row] === RECORD_KINDS.alias)
      return userIds.has(userId) || userIds.has(records.code(row, "fromUserId")) || anonymousIds.has(anonymousId);
    return userId !== 0 ? userIds.has(userId) : anonymousIds.has(anonymousId);
  }
}

const TRAITS = RECORD_FIELDS.indexOf("traits");

/** Without those by which others are known. Cost: each remaining record and user id. @param table remaining @param codes of the erased */
function erasedEmails({ dictionaries, resolver }: Store, { userIds, email }: Erased, table: RecordTable, codes: CodesByDictionary): ReadonlySet<string> {
  const users = dictionaries.named("userId");
  const stored = dictionaries.named("email");
  const found = new Set([...codes.of("email")].map((code) => stored.valueOf(code)));
  if (email !== null) found.add(email);
  for (const code of userIds) {
    const text = normalEmail(users.valueOf(code));
    if (looksLikeEmail(text)) found.add(text);
  }
  for (let row = 0; row < table.rowCount; row += 1) found.delete(stored.valueOf(table.code(row, "email")));
  for (const each of found) if (resolver.emails.usersNamedLike(each, users.size).some((code) => !userIds.has(code))) found.delete(each);
  return found;
}

/** Removes these emails from the traits of others, and notes the former traits in `codes`. Cost: each record and each text of traits. */
async function cutEmails(dictionaries: Dictionaries, emails: ReadonlySet<string>, table: RecordTable, codes: CodesByDictionary): Promise<void> {
  if (emails.size === 0) return;
  const traits = dictionaries.named("traits");
  const yielder = new Yielder();
  const cut = new Map<number, number>();
  for (let row = 0; row < table.rowCount; row += 1) {
    const code = table.code(row, "traits");
    if (code === 0) continue;
    let without = cut.get(code);
    if (without === undefined) {
      const text = traits.valueOf(code);
      without = emailsInTraits(text).some((email) => emails.has(email)) ? traits.intern(traitsWithoutEmails(text, (email) => emails.has(email))) : code;
      cut.set(code, without);
      await yielder.yieldAfter(text.length);
    }
    if (without === code) continue;
    codes.add("traits", code);
    table.codes[row * RECORD_FIELD_COUNT + TRAITS] = without;
  }
}

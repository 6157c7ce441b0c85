import type { RecordColumns } from "../../identity/record-table.js";

/** Ids that records name and no event has used yet, as codes of their dictionaries. */
export interface RecordOnlyIds {
  readonly userId: readonly number[];
  readonly anonymousId: readonly number[];
  readonly companyId: readonly number[];
}

export const NO_RECORD_ONLY_IDS: RecordOnlyIds = { userId: [], anonymousId: [], companyId: [] };

/** Number of listed codes. Codes leave the lists and never return, so it shows any change as long as no record is added. */
export function countRecordOnlyIds({ userId, anonymousId, companyId }: RecordOnlyIds): number {
  return userId.length + anonymousId.length + companyId.length;
}

/** Records of identify, group, alias and unlink to be written to the journal. */
export interface RecordBatch {
  readonly records: RecordColumns;
  readonly brought: RecordOnlyIds;
}

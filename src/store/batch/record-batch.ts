import type { RecordColumns } from "../../identity/record-table.js";

/** Ids that records name and no event has used yet, as codes of their dictionaries. */
export interface BroughtCodes {
  readonly userId: readonly number[];
  readonly anonymousId: readonly number[];
  readonly companyId: readonly number[];
}

export const BROUGHT_NOTHING: BroughtCodes = { userId: [], anonymousId: [], companyId: [] };

/** Number of listed codes. Codes leave the lists and never return, so it shows any change as long as no record is added. */
export function countBrought({ userId, anonymousId, companyId }: BroughtCodes): number {
  return userId.length + anonymousId.length + companyId.length;
}

/** Records of identify, group, alias and unlink to be written to the journal. */
export interface RecordBatch {
  readonly records: RecordColumns;
  readonly brought: BroughtCodes;
}

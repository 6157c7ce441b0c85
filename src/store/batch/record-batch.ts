import type { RecordColumns } from "../../identity/record-table.js";

/** Ids that records brought and no event has used yet, as codes of their dictionaries. */
export interface BroughtCodes {
  readonly userId: readonly number[];
  readonly anonymousId: readonly number[];
  readonly companyId: readonly number[];
}

export const BROUGHT_NOTHING: BroughtCodes = { userId: [], anonymousId: [], companyId: [] };

/** Codes leave the lists one by one and come back never: as long as no record is added, their number tells. */
export function countBrought({ userId, anonymousId, companyId }: BroughtCodes): number {
  return userId.length + anonymousId.length + companyId.length;
}

/** Records of identify, group, alias and unlink on their way to the journal. */
export interface RecordBatch {
  readonly records: RecordColumns;
  readonly brought: BroughtCodes;
}

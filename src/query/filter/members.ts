import type { SegmentPlan } from "../plan/insights/plan.js";

/** The members of a segment in the snapshot of a query. */
export interface SegmentMembers {
  has(identity: number): boolean;
}

/** The members of the segments of a query; null if unknown: any event may then pass. */
export type MembersOf = ((segment: SegmentPlan) => SegmentMembers) | null;

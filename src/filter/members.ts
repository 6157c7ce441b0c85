import type { SegmentPlan } from "../plan/insights/plan.js";

/** Who is in a segment at the moment of a question. */
export interface SegmentMembers {
  has(identity: number): boolean;
}

/** The members of the segments of a question; null where they are not known: then an event of anybody may pass. */
export type MembersOf = ((segment: SegmentPlan) => SegmentMembers) | null;

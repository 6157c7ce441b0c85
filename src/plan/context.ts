/** What planning needs beside the question. */
export interface PlanContext {
  /** Epoch ms at which the question was put. */
  readonly nowMs: number;
  /** The store's key of 32 bytes that seals cursors. */
  readonly cursorKey: Uint8Array;
}

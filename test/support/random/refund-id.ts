const REFUND_IDS: readonly unknown[] = ["r1", "r1", "r2", 7, "7", "", null, [7]];

/** Metadata with the id that a refund has of its own, or without one. Its event's id decides: random draws stay as they are. */
export function refundIdOf(eventId: string): { readonly refund_id?: unknown } {
  const place = Number.parseInt(eventId.slice(-1), 16);
  return place < REFUND_IDS.length ? { refund_id: REFUND_IDS[place] } : {};
}

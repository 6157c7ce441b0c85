import { isoOf } from "../../core/base/time.js";
import type { RecordField } from "../../identity/record-table.js";

export function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** A record, other than an unlink, as a line of a bundle. @param text of a field, `""` for none */
export function bundleRecord(kind: string, id: string, createdAtMs: number, text: (field: RecordField) => string): object {
  const some = (field: RecordField) => text(field) || undefined;
  const about = { kind, id, createdAt: isoOf(createdAtMs) };
  if (kind === "alias") return { ...about, from: some("fromUserId"), to: some("userId") };
  const traits = some("traits");
  const ids = { userId: some("userId"), anonymousId: some("anonymousId"), email: some("email"), companyId: some("companyId") };
  return { ...about, ...ids, ...(traits === undefined ? {} : { traits: JSON.parse(traits) as unknown }) };
}

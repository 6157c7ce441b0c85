import { isoOf } from "../base/time.js";
import type { StoredRecord } from "../schema/record.js";
import { emailOfTraits } from "./emails.js";
import { RECORD_KINDS, type RecordField } from "./record-table.js";

/** A record as exports give it. @param text of a field, `""` for nothing */
export function storedRecord(kind: number | undefined, id: string, createdAtMs: number, text: (field: RecordField) => string): StoredRecord {
  const some = <Name extends RecordField>(field: Name) => {
    const value = text(field);
    return (value === "" ? {} : { [field]: value }) as { readonly [Each in Name]?: string };
  };
  const createdAt = isoOf(createdAtMs);
  const traitsText = text("traits");
  const traits = traitsText === "" ? {} : { traits: JSON.parse(traitsText) as Readonly<Record<string, unknown>> };
  // Whoever checked the record saw to it that it is about somebody.
  switch (kind) {
    case RECORD_KINDS.identify: {
      const email = text("email") === emailOfTraits(traits.traits) ? {} : { email: text("email") };
      return { type: "identify", id, createdAt, ...some("userId"), ...some("anonymousId"), ...email, ...traits } as StoredRecord;
    }
    case RECORD_KINDS.group:
      return { type: "group", id, createdAt, companyId: text("companyId"), ...some("userId"), ...some("anonymousId"), ...traits } as StoredRecord;
    case RECORD_KINDS.alias:
      return { type: "alias", id, createdAt, from: text("fromUserId"), to: text("userId") };
    default:
      return { type: "unlink", createdAt, linkId: id };
  }
}

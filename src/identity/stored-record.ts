import { isoOf } from "../core/base/time.js";
import type { StoredRecord } from "../core/schema/record.js";
import { emailOfTraits } from "./emails.js";
import { RECORD_KINDS, type RecordField } from "./record-table.js";

/** A record in the form of exports. @param text value of a field, `""` for none */
export function storedRecord(kind: number | undefined, id: string, createdAtMs: number, text: (field: RecordField) => string): StoredRecord {
  const some = <Name extends RecordField>(field: Name) => {
    const value = text(field);
    return (value === "" ? {} : { [field]: value }) as { readonly [Each in Name]?: string };
  };
  const createdAt = isoOf(createdAtMs);
  const traitsText = text("traits");
  const traits = traitsText === "" ? {} : { traits: JSON.parse(traitsText) as Readonly<Record<string, unknown>> };
  // The casts hold: decoding ensures that a record has a user id or an anonymous id.
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

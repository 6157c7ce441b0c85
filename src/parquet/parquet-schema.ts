import type { SchemaElement } from "hyparquet-writer";
import { FIELDS } from "../schema/fields.js";
import type { FieldRow } from "../schema/fields.js";

const TEXT = { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } } as const;
const UTC_MS = { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" } as const;
const TIME = { type: "INT64", converted_type: "TIMESTAMP_MILLIS", logical_type: UTC_MS } as const;
const JSON_TEXT = { type: "BYTE_ARRAY", logical_type: { type: "JSON" } } as const;

/** The columns of exported events: those of an Arrow export, in the same order. */
export function parquetSchema(withIdentityIds: boolean): SchemaElement[] {
  const columns: SchemaElement[] = [
    { name: "id", repetition_type: "REQUIRED", ...TEXT },
    { name: "createdAt", repetition_type: "REQUIRED", ...TIME },
    ...FIELDS.map(elementOf),
    { name: "metadata", repetition_type: "OPTIONAL", ...JSON_TEXT },
  ];
  if (withIdentityIds) columns.push({ name: "identityId", repetition_type: "OPTIONAL", ...TEXT });
  return [{ name: "events", num_children: columns.length }, ...columns];
}

function elementOf({ camel, accepts }: FieldRow): SchemaElement {
  if (accepts === "boolean") return { name: camel, repetition_type: "REQUIRED", type: "BOOLEAN" };
  if (accepts === "number") return { name: camel, repetition_type: "OPTIONAL", type: "DOUBLE" };
  return { name: camel, repetition_type: "OPTIONAL", ...TEXT };
}

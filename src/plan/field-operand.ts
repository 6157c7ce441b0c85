import { FIELD_OPERANDS, isFieldName } from "./field-names.js";
import type { Operand } from "./plan.js";

const METADATA_PREFIX = "metadata.";

/**
 * Where a filter's field name finds its value: a field by any of its names, `metadata.<path>`, else the top-level
 * metadata key of that name. Null for `metadata.` without a path.
 */
export function operandOf(fieldName: string): Operand | null {
  if (isFieldName(fieldName)) return FIELD_OPERANDS[fieldName];
  if (!fieldName.startsWith(METADATA_PREFIX)) return { kind: "metadataKey", key: fieldName };
  const path = fieldName.slice(METADATA_PREFIX.length);
  return path === "" ? null : { kind: "metadataPath", path };
}

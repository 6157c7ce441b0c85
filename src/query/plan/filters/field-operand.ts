import { parameterError, shown } from "../../../core/base/errors.js";
import { FIELD_OPERANDS, isFieldName } from "../field-names.js";
import { pathOfMember, readText, type InputMembers } from "../members.js";
import type { Operand, TouchDimension } from "../plan.js";

const DIMENSIONS: readonly string[] = ["source", "medium", "campaign"] satisfies readonly TouchDimension[];

function isDimension(name: string): name is TouchDimension {
  return DIMENSIONS.includes(name);
}

/**
 * The operand of a field name: a field by any of its names, `metadata.<path>`, `person.<path>` and `company.<path>` for traits of the event's
 * person and company, `first_touch.<dimension>` and `last_touch.<dimension>`, else the top-level metadata key of that name. Null for an
 * empty path or an unknown dimension.
 */
export function operandOf(fieldName: string): Operand | null {
  if (isFieldName(fieldName)) return FIELD_OPERANDS[fieldName];
  const dot = fieldName.indexOf(".");
  const prefix = fieldName.slice(0, Math.max(dot, 0));
  const path = fieldName.slice(dot + 1);
  switch (prefix) {
    case "metadata":
      return path === "" ? null : { kind: "metadataPath", path };
    case "person":
    case "company":
      return path === "" ? null : { kind: prefix, path };
    case "first_touch":
    case "last_touch":
      return isDimension(path) ? { kind: "paymentTouch", model: prefix, dimension: path } : null;
    default:
      return { kind: "metadataKey", key: fieldName };
  }
}

/** The operand of the field in a member; null when absent. @throws invalid_parameter */
export function readField(members: InputMembers, name: string): Operand | null {
  const fieldName = readText(members, name);
  return fieldName === null ? null : fieldOf(fieldName, pathOfMember(members, name));
}

/** The operand of a field name given at the path `param`. @throws invalid_parameter */
export function fieldOf(fieldName: unknown, param: string): Operand {
  const operand = typeof fieldName === "string" && fieldName !== "" && fieldName.isWellFormed() ? operandOf(fieldName) : null;
  if (operand === null) throw parameterError("invalid_parameter", param, `expected the name of a field, got ${shown(fieldName)}`);
  return operand;
}

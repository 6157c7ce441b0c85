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

/** A field named in a query. */
export interface NamedField {
  /** Its camelCase path: `steps[1].filterGroups[0].filters[2].fieldName`. */
  readonly param: string;
  /** The name as given. */
  readonly name: string;
  readonly operand: Operand;
  /** The filter that compares it; null: it is not one of a filter. */
  readonly filter: GivenMembers | null;
}

type GivenMembers = Readonly<Record<string, unknown>>;

/** Every field named in an input, including the filters of its segments. @param input a valid one */
export function namedFieldsOf(input: unknown): NamedField[] {
  const query = membersOf(input);
  const segments = Object.entries(membersOf(query["segments"])).map(([name, segment]) => [`segments.${name}`, membersOf(segment)] as const);
  return [
    ...inSelector(query, ""),
    ...itemsOf(query, "steps").flatMap(([path, step]) => inSelector(step, `${path}.`)),
    ...itemsOf(query, "exclusions").flatMap(([path, exclusion]) => inSelector(exclusion, `${path}.`)),
    ...["cohortEvent", "returnEvent"].flatMap((name) => inSelector(membersOf(query[name]), `${name}.`)),
    ...segments.flatMap(([path, segment]) => itemsOf(segment, "groups", `${path}.`))
      .flatMap(([path, group]) => itemsOf(group, "conditions", `${path}.`))
      .flatMap(([path, condition]) => inSelector(condition, `${path}.`)),
    ...named("measure.field", membersOf(query["measure"])["field"]),
    ...listOf(membersOf(query["breakdown"])["fields"]).flatMap((field, at) => named(`breakdown.fields[${at}]`, field)),
    ...["field", "node"].flatMap((name) => named(name, query[name])),
    ...metadataField(query["metadataField"]),
  ];
}

function inSelector(selector: GivenMembers, prefix: string): NamedField[] {
  return itemsOf(selector, "filterGroups", prefix)
    .flatMap(([path, group]) => itemsOf(group, "filters", `${path}.`))
    .flatMap(([path, filter]) => named(`${path}.fieldName`, filter["fieldName"], filter));
}

function named(param: string, name: unknown, filter: GivenMembers | null = null): NamedField[] {
  const operand = typeof name === "string" ? operandOf(name) : null;
  return operand === null ? [] : [{ param, name: String(name), operand, filter }];
}

/** `metadataField` of `aggregate` is always a path. */
function metadataField(name: unknown): NamedField[] {
  return typeof name === "string" ? [{ param: "metadataField", name, operand: { kind: "metadataPath", path: name }, filter: null }] : [];
}

function itemsOf(members: GivenMembers, name: string, prefix = ""): (readonly [path: string, item: GivenMembers])[] {
  return listOf(members[name]).map((item, at) => [`${prefix}${name}[${at}]`, membersOf(item)]);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function membersOf(value: unknown): GivenMembers {
  return typeof value === "object" && value !== null ? (value as GivenMembers) : {};
}

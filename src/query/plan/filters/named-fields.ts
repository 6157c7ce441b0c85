import { operandOf } from "./field-operand.js";
import type { Operand } from "../plan.js";

/** A field named in a query. */
export interface NamedField {
  /** Its camelCase path: `steps[1].filterGroups[0].filters[2].fieldName`. */
  readonly param: string;
  /** The name as given. */
  readonly name: string;
  readonly operand: Operand;
}

type GivenMembers = Readonly<Record<string, unknown>>;

/** Every field named in an input, including the filters of its segments. @param input a valid one */
export function namedFieldsOf(input: unknown): NamedField[] {
  const question = membersOf(input);
  const segments = Object.entries(membersOf(question["segments"])).map(([name, segment]) => [`segments.${name}`, membersOf(segment)] as const);
  return [
    ...inSelector(question, ""),
    ...itemsOf(question, "steps").flatMap(([path, step]) => inSelector(step, `${path}.`)),
    ...itemsOf(question, "exclusions").flatMap(([path, exclusion]) => inSelector(exclusion, `${path}.`)),
    ...["cohortEvent", "returnEvent"].flatMap((name) => inSelector(membersOf(question[name]), `${name}.`)),
    ...segments.flatMap(([path, segment]) => itemsOf(segment, "groups", `${path}.`))
      .flatMap(([path, group]) => itemsOf(group, "conditions", `${path}.`))
      .flatMap(([path, condition]) => inSelector(condition, `${path}.`)),
    ...named("measure.field", membersOf(question["measure"])["field"]),
    ...listOf(membersOf(question["breakdown"])["fields"]).flatMap((field, at) => named(`breakdown.fields[${at}]`, field)),
    ...["field", "node"].flatMap((name) => named(name, question[name])),
    ...metadataField(question["metadataField"]),
  ];
}

function inSelector(selector: GivenMembers, prefix: string): NamedField[] {
  return itemsOf(selector, "filterGroups", prefix)
    .flatMap(([path, group]) => itemsOf(group, "filters", `${path}.`))
    .flatMap(([path, filter]) => named(`${path}.fieldName`, filter["fieldName"]));
}

function named(param: string, name: unknown): NamedField[] {
  const operand = typeof name === "string" ? operandOf(name) : null;
  return operand === null ? [] : [{ param, name: String(name), operand }];
}

/** `metadataField` of `aggregate` is always a path. */
function metadataField(name: unknown): NamedField[] {
  return typeof name === "string" ? [{ param: "metadataField", name, operand: { kind: "metadataPath", path: name } }] : [];
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

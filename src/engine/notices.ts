import { shown } from "../base/errors.js";
import { tellEach } from "../base/tell.js";
import type { Dictionaries } from "../column/dictionaries.js";
import { isFieldName } from "../plan/field-names.js";
import { placesOfGroups } from "../plan/filter-groups.js";
import type { Operand, Plan, ReportName } from "../plan/plan.js";

/** Something about a question that is no error, and still hardly meant so. */
export interface Notice {
  /** `unknown_field`: a name that is no field, and that no stored event has as a metadata key. It counts as not set. */
  readonly code: "unknown_field";
  /** A sentence for a person. */
  readonly message: string;
  /** The parameter it is about, as a camelCase path: `filterGroups[0].filters[2].fieldName`. */
  readonly param: string;
  /** What the parameter names. */
  readonly name: string;
  readonly report: ReportName;
}

/** What is noticed about a question. Cost: a look-up for each filter by metadata. @param input what the plan was made of */
export function noticesOf(plan: Plan, input: unknown, dictionaries: Dictionaries): Notice[] {
  const notices: Notice[] = [];
  const note = (param: string, operand: Operand, prefix: string) => {
    const key = unknownKeyOf(operand, dictionaries);
    if (key === null) return;
    const name = operand.kind === "metadataPath" ? `${prefix}${key}` : key;
    const reason = `no ${operand.kind === "metadataKey" ? "field and no " : ""}metadata key of any stored event, it counts as not set`;
    notices.push({ code: "unknown_field", message: `${param}: ${shown(name)} is ${reason}`, param, name, report: plan.report });
  };
  const places = placesOfGroups((input as { readonly filterGroups?: unknown } | null | undefined)?.filterGroups);
  plan.where.forEach((group, at) => {
    group.forEach(({ operand }, filterAt) => note(`filterGroups[${places[at] ?? at}].filters[${filterAt}].fieldName`, operand, "metadata."));
  });
  if (plan.report === "aggregate") note("metadataField", plan.by, "");
  return notices;
}

/** The metadata that an operand reads, where no event has it: of a path neither the literal key, nor the one that its walk begins with. */
function unknownKeyOf(operand: Operand, dictionaries: Dictionaries): string | null {
  if (operand.kind === "metadataKey") return isFieldName(operand.key) || dictionaries.knownKeyCode(operand.key) >= 0 ? null : operand.key;
  if (operand.kind !== "metadataPath") return null;
  const [root = "", ...rest] = operand.path.split(".");
  const isKnown = dictionaries.knownKeyCode(operand.path) >= 0 || (rest.length > 0 && dictionaries.knownKeyCode(root) >= 0);
  return isKnown ? null : operand.path;
}

/** Tells hooks of notices, those that are there. */
export function tellNotices(notices: readonly Notice[], hooks: readonly (((notice: Notice) => unknown) | undefined)[]): void {
  for (const hook of hooks) if (hook !== undefined) tellEach(hook, notices);
}

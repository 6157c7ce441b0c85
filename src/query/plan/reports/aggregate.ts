import { parameterError, shown } from "../../../core/base/errors.js";
import type { PlanContext } from "../context.js";
import { isFieldName } from "../field-names.js";
import { operandOf } from "../filters/field-operand.js";
import { memberError, readChoice, readInteger, readText, type InputMembers } from "../members.js";
import type { Measure, Operand, Plan } from "../plan.js";
import { planScope, readInput } from "../scope.js";

/** What an aggregate can count per value. */
export const MEASURES = ["events", "unique_users"] as const satisfies readonly Measure[];

/** Plans an `aggregate` query. @throws exactly_one_required, and what `planScope` throws */
export function planAggregate(input: unknown, context: PlanContext): Plan<"aggregate"> {
  const members = readInput(input, ["field", "metadataField", "measure", "limit"]);
  return {
    report: "aggregate",
    ...planScope(members, context),
    by: planBy(members),
    measure: readChoice(members, "measure", MEASURES) ?? "events",
    limit: readInteger(members, "limit", 1, Number.MAX_SAFE_INTEGER),
  };
}

function planBy(members: InputMembers): Operand {
  const name = members.values.get("field");
  const path = readText(members, "metadataField");
  if ((name === undefined) === (path === null)) {
    const came = path === null ? "neither" : "both";
    throw parameterError("exactly_one_required", "field", `expected exactly one of field and metadataField, got ${came}`);
  }
  if (path !== null) return { kind: "metadataPath", path };
  const operand = typeof name === "string" && name.isWellFormed() ? operandOf(name) : null;
  // A bare name may be a typo, which nothing distinguishes from a metadata key.
  if (operand !== null && (operand.kind !== "metadataKey" || isFieldName(String(name)))) return operand;
  throw memberError(members, "field", `expected the name of a field (a metadata key is metadata.KEY, or metadataField), got ${shown(name)}`);
}

import { parameterError, shown } from "../base/errors.js";
import type { PlanContext } from "./context.js";
import { memberError, readInteger, readText, type Members } from "./members.js";
import type { Operand, Plan } from "./plan.js";
import { planScope, readInput } from "./scope.js";

/** Wire names of the fields that may be aggregated, and their columns. */
const FIELDS = new Map(
  [
    "location_country", "location_city", "location_region", "device", "os", "browser", "screen", "language",
    "referrer", "url", "hostname", "user_id",
  ].map((name) => [name, name === "user_id" ? "userId" : name]),
);

/** Settles an `aggregate` question. @throws exactly_one_required, and what `planScope` throws */
export function planAggregate(input: unknown, _context: PlanContext): Plan<"aggregate"> {
  const members = readInput(input, ["field", "metadataField", "limit"]);
  return {
    report: "aggregate",
    ...planScope(members),
    by: planBy(members),
    limit: readInteger(members, "limit", 1, Number.MAX_SAFE_INTEGER),
  };
}

function planBy(members: Members): Operand {
  const name = members.values.get("field");
  const path = readText(members, "metadataField");
  if ((name === undefined) === (path === null)) {
    const came = path === null ? "neither" : "both";
    throw parameterError("exactly_one_required", "field", `expected exactly one of field and metadataField, got ${came}`);
  }
  if (path !== null) return { kind: "metadataPath", path };
  const column = typeof name === "string" ? FIELDS.get(name) : undefined;
  if (column === undefined) {
    throw memberError(members, "field", `expected one of ${[...FIELDS.keys()].join(", ")}, got ${shown(name)}`);
  }
  return { kind: "field", field: column };
}

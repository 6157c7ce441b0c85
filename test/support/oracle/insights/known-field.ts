import { parameterError } from "../../../../src/core/base/errors.js";
import type { OracleEvent } from "../event.js";
import type { Identity } from "../identities.js";
import { valueAt } from "../json.js";
import { remembered } from "../remembered.js";
import { touchLabel } from "../touch-label.js";
import { traitsOf } from "../traits.js";
import type { World } from "../world.js";

/** How to read what is known now about the person or company behind an event, or who brought it; null where a name is of none of these. */
export function knownReader(name: string, world: World): ((event: OracleEvent) => unknown) | null {
  const [kind, ...keys] = name.split(".");
  const key = keys.join(".");
  if (keys.length === 0 || !["person", "company", "first_touch", "last_touch"].includes(kind ?? "")) return null;
  if (key === "") throw parameterError("invalid_parameter", "fieldName", `expected a name behind ${name}`);
  if (kind === "company") {
    const valueOf = remembered((companyId: string) => companyValue(world, companyId, key));
    return (event) => valueOf(world.companies.of(event));
  }
  if (kind === "person") {
    const valueOf = remembered((identity: Identity | null) => (identity === null ? null : personValue(world, identity, key)));
    return (event) => valueOf(world.identities.of(event));
  }
  if (key !== "source" && key !== "medium" && key !== "campaign") {
    throw parameterError("invalid_parameter", "fieldName", `expected source, medium or campaign, got ${key}`);
  }
  const model = kind === "first_touch" ? "first_touch" : "last_touch";
  return remembered((event) => touchLabel(world, event, { model, level: "identity", dimension: key }));
}

/** A trait of a person, or the newest email. */
export function personValue({ identities, records }: World, identity: Identity, key: string): unknown {
  const own = records.identifies.filter((identify) => identities.of(identify) === identity);
  if (key === "email") return own.map(({ email }) => email).filter((email) => email !== "").at(-1);
  return valueAt(traitsOf(own), key);
}

/** A trait of a company; not set for the company `""`. */
export function companyValue({ records }: World, companyId: string, key: string): unknown {
  if (companyId === "") return null;
  return valueAt(traitsOf(records.groups.filter((group) => group.companyId === companyId)), key);
}

import { assert } from "../../base/assert.js";
import type { Missing } from "../../derived/missing.js";
import type { KnownFields, KnownValues, RowLabels } from "../../filter/known-fields.js";
import type { ReportRules } from "../../plan/context.js";
import type { Plan } from "../../plan/plan.js";
import { operandsOf } from "../../plan/scopes-of.js";
import type { TableMoment } from "../../table/tables.js";

/**
 * What a plan names of people and companies, and of who brought them, as it is known at a moment; null where something is missing.
 * @param rules what counts as money and as touches
 */
export function knownOfPlan(plan: Plan, rules: Pick<ReportRules, "revenue" | "touch">, moment: TableMoment, missing: Missing): KnownFields | null {
  const people = new Map<string, KnownValues | null>();
  const companies = new Map<string, KnownValues | null>();
  const touches = new Map<string, RowLabels | null>();
  const { tables } = moment;
  for (const { operand } of operandsOf(plan)) {
    if (operand.kind === "person") find(people, operand.path, (path) => tables.person(path, moment, missing));
    if (operand.kind === "company") find(companies, operand.path, (path) => tables.company(path, moment, missing));
    if (operand.kind === "paymentTouch") find(touches, operand.model, () => tables.eventLabels(rules, operand.model, moment, missing));
  }
  return missing.isEmpty ? knownFields(people, companies, touches) : null;
}

function knownFields(people: Found<KnownValues>, companies: Found<KnownValues>, touches: Found<RowLabels>): KnownFields {
  return { person: (path) => found(people, path), company: (path) => found(companies, path), paymentTouch: (model) => found(touches, model) };
}

/** By name. */
type Found<T> = ReadonlyMap<string, T | null>;

/** Of a plan that names nothing of these. */
export const NOTHING_KNOWN: KnownFields = knownFields(new Map(), new Map(), new Map());

function find<T>(known: Map<string, T | null>, name: string, read: (name: string) => T | null): void {
  if (!known.has(name)) known.set(name, read(name));
}

function found<T>(asked: Found<T>, name: string): T {
  const value = asked.get(name) ?? null;
  assert(value !== null, "a question reads what its plan names");
  return value;
}

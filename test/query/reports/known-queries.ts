import type { FilterGroupInput, FilterInput } from "daybook";
import type { Random } from "daybook/testing";
import { traitPaths } from "../../support/random/known-history.js";
import type { KnownQuery } from "./known-plan.js";

const operators = ["=", "!=", "in", "not_in", "contains", "not_contains", "starts_with", "regex", "is_set", "is_not_set", ">", "<=", "between"];
const texts = ["pro", "pro", "free", "3", "free", "3", "3.0", "true", "", "ann@x.io", "o", "\uFF5E", "news", "(direct)", "(none)", "(not set)", "google.com", "cpc", "acme", "acme.com", "Pageview"];

/** The names of what is known of people and companies. */
export const traitFields: readonly string[] = traitPaths.flatMap((path) => [`person.${path}`, `company.${path}`]);

/** A query of each old report. */
export function knownQueries(random: Random, fields: readonly string[]): KnownQuery[] {
  const scope = () => ({
    ...(random.chance(0.2) ? { project: random.pick(["default", "shop"]) } : {}),
    ...(random.chance(0.2) ? { eventName: random.pick(["Pageview", "click", "Payment"]) } : {}),
    ...(random.chance(0.3) ? { startDate: random.pick(["2026-02-28", "2026-03-01", "2026-03-01T00:30:00Z"]) } : {}),
    ...(random.chance(0.3) ? { endDate: random.pick(["2026-03-01", "2026-03-01T01:00:00Z", "2026-03-02"]) } : {}),
  });
  const filtered = () => ({ ...scope(), filterGroups: groups(random, fields) });
  const aggregate = (measure: "events" | "unique_users"): KnownQuery => ({
    report: "aggregate",
    input: { ...(random.chance(0.5) ? filtered() : scope()), field: random.pick(fields), measure },
  });
  return [
    { report: "countEvents", input: filtered() },
    { report: "countEvents", input: { ...filtered(), userId: random.pick(["ann", "bob", "d1"]) } },
    { report: "countUniqueUsers", input: filtered() },
    { report: "countEventsPerDay", input: filtered() },
    { report: "searchEvents", input: filtered() },
    aggregate("events"),
    aggregate("events"),
    aggregate("unique_users"),
  ];
}

function groups(random: Random, fields: readonly string[]): FilterGroupInput[] {
  const group = () => ({ filters: Array.from({ length: random.pick([1, 1, 1, 2]) }, () => random.chance(0.1) ? { fieldName: "name", operator: "!=", value: "click" } : knownFilter(random, fields)) });
  return Array.from({ length: random.pick([1, 1, 1, 2]) }, group);
}

/** A filter of one of some fields. */
export function knownFilter(random: Random, fields: readonly string[]): FilterInput {
  const fieldName = random.pick(fields);
  const operator = random.pick(operators);
  if (operator.endsWith("set")) return { fieldName, operator };
  if (operator === "between") return { fieldName, operator, value: random.pick(["0,3", "2026-01-01,2026-12-31"]) };
  if (operator === ">" || operator === "<=") return { fieldName, operator, value: random.pick(["0", "3", "2026-03-01"]) };
  if (operator.endsWith("in")) return { fieldName, operator, value: JSON.stringify([random.pick(texts), random.pick(texts)]) };
  const value = random.pick(texts);
  return { fieldName, operator: value === "" ? "=" : operator, value };
}

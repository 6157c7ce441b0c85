/* eslint-disable @typescript-eslint/no-non-null-assertion -- parts and places go together */
import { dayStartMs } from "../base/time.js";
import { codeAt } from "../column/column.js";
import type { TouchRule } from "../plan/plan.js";
import type { Rows } from "../segment/rows.js";
import { CompanyReader } from "./company-rows-reader.js";
import type { ReportContext } from "./report.js";
import { actorOf } from "./rows-by-actor.js";
import { TouchLabels, touchFacts } from "./touch-facts.js";
import { TouchIndex } from "./touch-index.js";
import { touchReader } from "./touch.js";

/** Touches by who made them: those of sealed segments, kept as long as these are the same, and those of heads. */
export interface TouchIndexes {
  readonly labels: TouchLabels;
  readonly byActor: readonly TouchIndex[];
  /** Of level `account` only. */
  readonly byCompany: readonly TouchIndex[];
}

/** Columns are loaded. Cost: the touches of heads, where the segments and who is who are the same as before. */
export function touchIndexes(parts: readonly Rows[], rule: TouchRule, withCompanies: boolean, context: ReportContext): TouchIndexes {
  const { memo, dictionaries, identities, companies } = context;
  const labels = memo.of("touch labels", [dictionaries], () => new TouchLabels());
  const sealed = parts.filter((rows) => rows.sealed);
  const heads = parts.filter((rows) => !rows.sealed);
  const index = (some: readonly Rows[], ownersOf: OwnersOf) => indexOf(some, rule, labels, ownersOf, context);
  const byActor = [memo.of("touches by actor", sealed, () => index(sealed, actorsOf)), index(heads, actorsOf)];
  if (!withCompanies || companies === null) return { labels, byActor, byCompany: [] };
  const byCompany = [memo.of("touches by company", [identities, companies, ...sealed], () => index(sealed, companiesOf)), index(heads, companiesOf)];
  return { labels, byActor, byCompany };
}

/** Owner of each of some rows; 0 for none. */
type OwnersOf = (rows: Rows, found: Uint32Array, context: ReportContext) => Uint32Array;

function indexOf(parts: readonly Rows[], rule: TouchRule, labels: TouchLabels, ownersOf: OwnersOf, context: ReportContext): TouchIndex {
  const reader = touchReader(rule, context);
  const facts = parts.map((rows) => touchFacts(rows, reader, labels));
  const owners = parts.map((rows, part) => ownersOf(rows, facts[part]!.rows, context));
  return new TouchIndex(parts, facts, owners, (part, row) => dayStartMs(parts[part]!.day) + parts[part]!.times()[row]!);
}

function actorsOf(rows: Rows, found: Uint32Array): Uint32Array {
  const users = rows.column("userId");
  const anonymous = rows.column("anonymousId");
  return found.map((row) => actorOf(codeAt(users, row), codeAt(anonymous, row)));
}

function companiesOf(rows: Rows, found: Uint32Array, context: ReportContext): Uint32Array {
  const reader = new CompanyReader(rows, context);
  return found.map((row) => reader.companyOf(row, reader.identityOf(row)));
}

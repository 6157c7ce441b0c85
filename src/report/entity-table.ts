/* eslint-disable @typescript-eslint/no-non-null-assertion -- codes are bounded by the arrays */
import { assert } from "../base/assert.js";
import type { Rows } from "../segment/rows.js";
import { CompanyReader } from "./company-rows-reader.js";
import { entityFacts } from "./entity-facts.js";
import type { ReportContext } from "./report.js";
import { rowsOfLoaded } from "./rows-by-actor.js";

/** Later than any day. */
const NEVER = 2 ** 31 - 1;

/** First day of each code, and the projects it was seen in: 4 bytes a code, and one more per project. */
export class FirstSeen {
  #days = new Int32Array(1024).fill(NEVER);
  readonly #projects = new Map<number, Uint8Array>();

  add(code: number, project: number, day: number): void {
    if (code >= this.#days.length) this.#grow(code);
    if (day < this.#days[code]!) this.#days[code] = day;
    let seen = this.#projects.get(project);
    if (seen === undefined || code >= seen.length) {
      const grown = new Uint8Array(this.#days.length);
      grown.set(seen ?? []);
      seen = grown;
      this.#projects.set(project, seen);
    }
    seen[code] = 1;
  }

  dayOf(code: number): number {
    return code < this.#days.length ? this.#days[code]! : NEVER;
  }

  /** Calls for each code that was seen in a project. */
  each(project: number, visit: (day: number) => void): void {
    const seen = this.#projects.get(project) ?? new Uint8Array();
    for (let code = 0; code < seen.length; code += 1) if (seen[code] === 1) visit(this.#days[code]!);
  }

  copy(): FirstSeen {
    const copy = new FirstSeen();
    copy.#days = this.#days.slice();
    for (const [project, seen] of this.#projects) copy.#projects.set(project, seen.slice());
    return copy;
  }

  #grow(code: number): void {
    const days = new Int32Array(2 ** Math.ceil(Math.log2(code + 1))).fill(NEVER);
    days.set(this.#days);
    this.#days = days;
  }
}

/** When every entity was first seen: identities, and companies where the level is `account`. */
export interface EntityTable {
  readonly identities: FirstSeen;
  readonly companies: FirstSeen;
}

/** Of all parts, whose entity columns are loaded; what sealed segments tell is kept until they, or who is who, change. */
export function entityTable(parts: readonly Rows[], isAccount: boolean, context: ReportContext): EntityTable {
  const { memo, identities, companies } = context;
  const sealed = parts.filter((rows) => rows.sealed);
  const heads = parts.filter((rows) => !rows.sealed);
  const add = isAccount ? addAccounts : addIdentities;
  const among = isAccount && companies !== null ? [identities, companies] : [identities];
  const kept = memo.of(`entities ${isAccount ? "account" : "identity"}`, [...among, ...sealed], () => {
    const table = { identities: new FirstSeen(), companies: new FirstSeen() };
    for (const rows of sealed) add(table, rows, context);
    return table;
  });
  if (heads.length === 0) return kept;
  const table = { identities: kept.identities.copy(), companies: kept.companies.copy() };
  for (const rows of heads) add(table, rows, context);
  return table;
}

function addIdentities({ identities: seen }: EntityTable, rows: Rows, { identities }: ReportContext): void {
  const { actors, projects } = entityFacts(rows);
  for (let at = 0; at < actors.length; at += 1) seen.add(identities.identityOf(actors[at]!), projects[at]!, rows.day);
}

function addAccounts(table: EntityTable, rows: Rows, context: ReportContext): void {
  const { identities, companies: view } = context;
  assert(view !== null, "the report says that it asks companies");
  const { actors, companies, projects } = entityFacts(rows);
  const changing = new Set<number>();
  for (let at = 0; at < actors.length; at += 1) {
    const identity = identities.identityOf(actors[at]!);
    const company = companies[at]! !== 0 ? companies[at]! : view.onlyCompany(identity);
    if (company > 0) table.companies.add(company, projects[at]!, rows.day);
    else if (company === 0) table.identities.add(identity, projects[at]!, rows.day);
    else changing.add(actors[at]!);
  }
  if (changing.size > 0) addChanging(table, rows, [...changing].sort((a, b) => a - b), context);
}

/** Row by row, for those whose company changed. */
function addChanging(table: EntityTable, rows: Rows, actors: readonly number[], context: ReportContext): void {
  const reader = new CompanyReader(rows, context);
  for (const row of rowsOfLoaded(rows, actors)) {
    const identity = reader.identityOf(row);
    const company = reader.companyOf(row, identity);
    if (company > 0) table.companies.add(company, reader.projectOf(row), rows.day);
    else table.identities.add(identity, reader.projectOf(row), rows.day);
  }
}

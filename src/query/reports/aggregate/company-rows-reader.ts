/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
import { assert } from "../../../core/base/assert.js";
import { dayStartMs } from "../../../core/base/time.js";
import { codeAt, type CodeColumn } from "../../../storage/column/column.js";
import type { CompanyView, IdentityView } from "../../../identity/identity-view.js";
import { TIME_COLUMN } from "../../../core/schema/fields.js";
import { NO_KEY, eventKeyOf } from "../../../storage/segment/event-order.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { ACTOR_COLUMNS, actorOf } from "../../../storage/segment/summaries.js";
import type { RowContext } from "../form/report.js";

/** Columns that a `CompanyReader` reads; event ids are needed too if a person changed companies. */
export const COMPANY_READER_COLUMNS: readonly string[] = [TIME_COLUMN, ...ACTOR_COLUMNS, "companyId"];

/** Resolves the company and the identity of the events of one segment or head. */
export class CompanyReader {
  readonly #identities: IdentityView;
  readonly #view: CompanyView;
  readonly #users: CodeColumn;
  readonly #anonymous: CodeColumn;
  readonly #companies: CodeColumn;
  readonly #times: Int32Array;
  readonly #startMs: number;

  constructor(
    readonly rows: Rows,
    { identities, companies }: RowContext,
  ) {
    assert(companies !== null, "the report declares that it reads companies");
    this.#identities = identities;
    this.#view = companies;
    this.#users = rows.column("userId");
    this.#anonymous = rows.column("anonymousId");
    this.#companies = rows.column("companyId");
    this.#times = rows.times();
    this.#startMs = dayStartMs(rows.day);
  }

  /** 0 if the event has neither id. */
  identityOf(row: number): number {
    return this.#identities.identityOf(actorOf(codeAt(this.#users, row), codeAt(this.#anonymous, row)));
  }

  /** The event's own company; 0 for none. */
  ownCompanyOf(row: number): number {
    return codeAt(this.#companies, row);
  }

  /** The event's own company, else that of its identity at the time of the event; 0 for none. */
  companyOf(row: number, identity: number): number {
    const own = this.ownCompanyOf(row);
    if (own !== 0 || identity === 0) return own;
    const only = this.#view.onlyCompany(identity);
    if (only >= 0) return only;
    const ms = this.msOf(row);
    return this.#view.companyAt(identity, ms, this.#view.needsId(identity, ms) ? eventKeyOf(this.rows, row) : NO_KEY);
  }

  /** The column must be loaded. */
  projectOf(row: number): number {
    return codeAt(this.rows.column("project"), row);
  }

  /** Epoch ms. */
  msOf(row: number): number {
    return this.#startMs + this.#times[row]!;
  }
}

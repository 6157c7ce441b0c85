import { dayStartMs } from "../../core/base/time.js";
import { TIME_COLUMN } from "../../core/schema/fields.js";
import type { CompanyView, IdentityView } from "../../identity/identity-view.js";
import type { Codes } from "../../storage/column/codes.js";
import { denseCodes } from "../../storage/column/column.js";
import { NO_KEY, eventKeyOf } from "../../storage/segment/event-order.js";
import type { Rows } from "../../storage/segment/rows.js";
import { ACTOR_COLUMNS, actorOf } from "../../storage/segment/summaries.js";

/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows are bounded by their columns */
/** Columns that a `CompanyReader` reads; event ids are needed too if a person changed companies. */
export const COMPANY_READER_COLUMNS: readonly string[] = [TIME_COLUMN, ...ACTOR_COLUMNS, "companyId"];

export class CompanyReader {
  readonly #users: Codes;
  readonly #anonymous: Codes;
  readonly #companies: Codes;
  readonly #times: Int32Array;
  readonly #startMs: number;

  constructor(
    readonly rows: Rows,
    readonly identities: IdentityView,
    readonly view: CompanyView,
  ) {
    this.#users = denseCodes(rows.column("userId"));
    this.#anonymous = denseCodes(rows.column("anonymousId"));
    this.#companies = denseCodes(rows.column("companyId"));
    this.#times = rows.times();
    this.#startMs = dayStartMs(rows.day);
  }

  /** 0 if the event has neither id. */
  identityOf(row: number): number {
    return this.identities.identityOf(actorOf(this.#users[row]!, this.#anonymous[row]!));
  }

  /** The event's own company, else that of its identity at the time of the event; 0 for none. */
  companyOf(row: number): number {
    const own = this.#companies[row]!;
    if (own !== 0) return own;
    const identity = this.identityOf(row);
    if (identity === 0) return 0;
    const only = this.view.onlyCompany(identity);
    if (only >= 0) return only;
    const ms = this.#startMs + this.#times[row]!;
    return this.view.companyAt(identity, ms, this.view.needsId(identity, ms) ? eventKeyOf(this.rows, row) : NO_KEY);
  }
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- rows and actors are bounded by their columns */
import { touchName } from "../../answer/touch-of-text.js";
import { dayStartMs } from "../../../core/base/time.js";
import { denseCodes } from "../../../storage/column/column.js";
import type { EventPlace } from "../../../storage/derived/event-ids.js";
import type { PendingLoads } from "../../../storage/derived/pending-loads.js";
import type { RowLabels } from "../../filter/predicate.js";
import type { CompanySnapshot } from "../../../identity/company-view.js";
import type { TouchDimension } from "../../plan/plan.js";
import { SEQUENCE_COLUMN, TIME_COLUMN } from "../../../core/schema/fields.js";
import type { Rows } from "../../../storage/segment/rows.js";
import { ACTOR_COLUMNS, actorOf } from "../../../storage/segment/summaries.js";
import { firstAtLeast } from "../../../core/base/search.js";
import { compareEvents } from "../../../storage/segment/event-order.js";
import type { Payments } from "../money/payments.js";
import { NearestTouch, UNKNOWN } from "./payment-labels.js";
import type { Touches } from "./touches.js";
import { TouchesOfIdentities } from "./company-touches.js";

/** Neighbours of a row that are searched for another event of its millisecond; beyond, all rows are indexed by sequence. */
const NEAR_ROW_COUNT = 32;

/** Orders events of one millisecond within a part: sealed rows are in order, and ids of a head in memory. Times and sequences must be loaded. */
class OrderInPart {
  #rowOf: Map<number, number> | null = null;

  constructor(readonly rows: Rows) {}

  /** Null: the event lies in another part. */
  compare(sequence: number, row: number): number | null {
    const { rows } = this;
    if (sequence < rows.firstSequence || sequence > rows.lastSequence) return null;
    const other = rows.sealed ? this.#sealedRowOf(sequence, row) : headRowOf(rows, sequence);
    if (other === null) return null;
    return rows.sealed || other === row ? other - row : compareEvents(rows, other, rows, row);
  }

  #sealedRowOf(sequence: number, row: number): number | null {
    if (this.#rowOf !== null) return this.#rowOf.get(sequence) ?? null;
    const sequences = this.rows.sequences();
    const times = this.rows.times();
    const isAtOnce = (other: number) => times[other] === times[row];
    let [first, last] = [row, row];
    while (first > 0 && row - first < NEAR_ROW_COUNT && isAtOnce(first - 1)) first -= 1;
    while (last < this.rows.rowCount - 1 && last - row < NEAR_ROW_COUNT && isAtOnce(last + 1)) last += 1;
    for (let other = first; other <= last; other += 1) if (sequences[other] === sequence) return other;
    if (row - first < NEAR_ROW_COUNT && last - row < NEAR_ROW_COUNT) return null;
    this.#rowOf = new Map();
    for (let other = 0; other < sequences.length; other += 1) this.#rowOf.set(sequences[other]!, other);
    return this.#rowOf.get(sequence) ?? null;
  }
}

function headRowOf(rows: Rows, sequence: number): number | null {
  const sequences = rows.sequences();
  const at = firstAtLeast(sequences, sequence);
  return sequences[at] === sequence ? at : null;
}

interface LabelTables {
  readonly touches: Touches;
  readonly payments: Payments;
}

/**
 * The labels that the events of one query would get as payments of their identities, under one model. The label of an identity is found once, and
 * again when one of its touches lies between two of its events. 20 bytes for every possible actor; pages that are not needed stay untouched.
 */
export class EventLabels implements RowLabels {
  readonly columns = [TIME_COLUMN, SEQUENCE_COLUMN, ...ACTOR_COLUMNS];
  readonly #nearest: NearestTouch;
  readonly #touchesOfIdentities: TouchesOfIdentities;
  readonly #generations: string;
  /** By sequence of a refund: position of the payment; -1 for other events. */
  readonly #orderOf: (sequence: number) => number;
  /** By identity: the label of its events, and the times between which it holds. */
  readonly #labels: Int32Array;
  readonly #fromMs: Float64Array;
  readonly #toMs: Float64Array;
  readonly #ofPayments = new Map<number, number>();
  readonly #unread = new Map<number, EventPlace>();

  constructor(
    readonly tables: LabelTables,
    model: "first_touch" | "last_touch",
    readonly moment: Pick<CompanySnapshot, "identities" | "rows">,
    /** Receives what is found missing while rows are read. */
    readonly pending: PendingLoads,
    actorEnd: number,
  ) {
    const { touches, payments } = tables;
    this.#orderOf = payments.ordersOfRefunds();
    this.#nearest = new NearestTouch(touches, model, this.#toRead);
    this.#touchesOfIdentities = new TouchesOfIdentities(touches, moment.identities);
    this.#generations = this.#generationsOfNow;
    this.#labels = new Int32Array(actorEnd);
    this.#fromMs = new Float64Array(actorEnd);
    this.#toMs = new Float64Array(actorEnd);
    // Actor 0 has no touch at any time.
    this.#fromMs[0] = -Infinity;
    this.#toMs[0] = Infinity;
  }

  get size(): number {
    return this.tables.touches.maker.labels.count;
  }

  textOf(label: number, dimension: TouchDimension): string {
    return touchName(this.tables.touches.maker.labels.labelOf(label), dimension);
  }

  of(rows: Rows): (row: number) => number {
    if (this.#generationsOfNow !== this.#generations) return this.#unknown;
    const [users, anonymous] = [denseCodes(rows.column("userId")), denseCodes(rows.column("anonymousId"))];
    const [times, sequences] = [rows.times(), rows.sequences()];
    const startMs = dayStartMs(rows.day);
    const part = new OrderInPart(rows);
    const { identities } = this.moment;
    return (row) => {
      const sequence = sequences[row]!;
      const order = this.#orderOf(sequence);
      if (order >= 0) return this.#ofPayment(order);
      const identity = identities.identityOf(actorOf(users[row]!, anonymous[row]!));
      const ms = startMs + times[row]!;
      if (ms >= this.#fromMs[identity]! && ms < this.#toMs[identity]!) return this.#labels[identity]!;
      return this.#find(identity, ms, (touch) => part.compare(this.tables.touches.eventAt(touch).sequence, row) ?? this.#nearest.orderAtOnce(touch, { ms, sequence }));
    };
  }

  get #generationsOfNow(): string {
    const { touches, payments } = this.tables;
    return `${touches.generation} ${payments.generation}`;
  }

  /** A table restarted, so the query must restart too. */
  readonly #unknown = (): number => {
    if (this.pending.isEmpty) this.pending.add(() => Promise.resolve());
    return UNKNOWN;
  };

  #ofPayment(place: number): number {
    const known = this.#ofPayments.get(place);
    if (known !== undefined) return known;
    const { payments } = this.tables;
    const actor = payments.actorOf(place);
    const event = payments.momentOf(place);
    const lists = actor === 0 ? [] : this.#touchesOfIdentities.of(this.moment.identities.identityOf(actor));
    const label = this.#nearest.labelOf(lists, event.ms, (touch) => this.#nearest.orderAtOnce(touch, event));
    this.#ofPayments.set(place, label);
    return label;
  }

  #find(identity: number, ms: number, orderAtOnce: (touch: number) => number | null): number {
    const lists = this.#touchesOfIdentities.of(identity);
    const step = this.#nearest.stepAt(lists, ms);
    if (step === null) return this.#nearest.labelOf(lists, ms, orderAtOnce);
    this.#labels[identity] = step.label;
    this.#fromMs[identity] = step.fromMs;
    this.#toMs[identity] = step.toMs;
    return step.label;
  }

  readonly #toRead = {
    push: (...events: EventPlace[]) => {
      const { ids } = this.tables.touches;
      if (this.#unread.size === 0) this.pending.add(() => ids.read([...this.#unread.values()], this.moment.rows));
      for (const event of events) this.#unread.set(event.sequence, event);
    },
  };
}

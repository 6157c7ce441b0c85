/**
 * What is known about something that was sent: `no` (never sent), `maybe` (under way, or refused with an error that leaves
 * it open), `written` (answered for, but synced later: `os`), `yes` (answered for).
 */
export type Standing = "no" | "maybe" | "written" | "yes";

/** Something that is stored as a whole or not at all. */
export interface Fact {
  readonly kind: "batch" | "record" | "project";
  /** What is found when it is there: events of a batch, else one name. */
  readonly members: readonly string[];
  readonly standing: Standing;
  /** How many facts had been answered for when this was sent: they come before it in the journal. */
  readonly behindCount: number;
}

/** How far the request for erasure came: steps that were begun, and that were answered for. 0: none was made; 4: resolved. */
export interface RequestSteps {
  readonly begun: number;
  readonly done: number;
  /** The erasure was answered for: from then on not even a crash brings a byte back. Before, the next opening removes what is left. */
  readonly isErased: boolean;
}

export const ERASED_STEP = 4;

/** What may be found after a crash at one moment, and what must be. Never changed in place. */
export interface Ledger {
  /** In the order in which they were sent. */
  readonly facts: readonly Fact[];
  /** Numbers of facts in the order in which they were answered for. */
  readonly answered: readonly number[];
  readonly request: RequestSteps;
}

export const EMPTY_LEDGER: Ledger = { facts: [], answered: [], request: { begun: 0, done: 0, isErased: false } };

/** The book that a running program keeps: each change makes a new ledger. */
export class LedgerKeeper {
  /** Called after every change. */
  changed: () => void = () => undefined;

  constructor(public ledger: Ledger = EMPTY_LEDGER) {}

  /** Notes that something is being sent; answers its number. */
  sent(kind: Fact["kind"], members: readonly string[]): number {
    const { facts, answered } = this.ledger;
    this.#change({ facts: [...facts, { kind, members, standing: "maybe", behindCount: answered.length }] });
    return facts.length;
  }

  /** Notes that what may be lost is being sent again. */
  sentAgain(number: number): void {
    this.#change({ facts: withStanding(this.ledger.facts, number, "maybe") });
  }

  /** Notes that it was answered for. */
  answered(number: number, standing: "written" | "yes"): void {
    this.#change({ facts: withStanding(this.ledger.facts, number, standing), answered: [...this.ledger.answered, number] });
  }

  /** Notes that what had been answered for by then is durable by now. */
  settled(answeredCount: number): void {
    const durable = new Set(this.ledger.answered.slice(0, answeredCount));
    this.#change({ facts: this.ledger.facts.map((fact, number) => (fact.standing === "written" && durable.has(number) ? { ...fact, standing: "yes" } : fact)) });
  }

  stepBegun(step: number): void {
    const { request } = this.ledger;
    this.#change({ request: { ...request, begun: Math.max(request.begun, step) } });
  }

  stepDone(step: number): void {
    this.#change({ request: { begun: step, done: step, isErased: step === ERASED_STEP } });
  }

  #change(changes: Partial<Ledger>): void {
    this.ledger = { ...this.ledger, ...changes };
    this.changed();
  }
}

function withStanding(facts: readonly Fact[], number: number, standing: Standing): Fact[] {
  return facts.map((fact, at) => (at === number ? { ...fact, standing } : fact));
}

/** The ledger after a loss of power: what was only written may be gone. A killed process leaves it to the kernel, and the ledger as it is. */
export function afterPowerLoss(ledger: Ledger): Ledger {
  return { ...ledger, facts: ledger.facts.map((fact) => (fact.standing === "written" ? { ...fact, standing: "maybe" } : fact)) };
}

/**
 * What goes wrong with a statement: it is an error, is never run, comes late, or only when other orders come; or it is run, and yet an error, or its
 * answer does not arrive, or only half of it: what follows stays out until other orders come, or is an error; or all of it comes, a line at a time.
 */
export type Fault =
  | { readonly kind: "error" | "fail" | "break"; readonly message: string }
  | { readonly kind: "refuse" | "lose" | "cut" | "hold" | "stall" }
  | { readonly kind: "slow"; readonly ms: number }
  | { readonly kind: "drip"; readonly ms: number };

/** A fault for the next statements that hold a text. */
export type Order = Fault & {
  readonly statement: string;
  /** Statements that go well before it. Default 0. */
  readonly after?: number;
  /** Default 1. */
  readonly times?: number;
};

interface Waiting {
  readonly order: Order;
  after: number;
  times: number;
}

/** Faults that tests ordered. */
export class Faults {
  #waiting: Waiting[] = [];
  readonly #held: (() => void)[] = [];

  /** How many statements wait for other orders. */
  get heldCount(): number {
    return this.#held.length;
  }

  /** Waits for other orders. */
  async hold(): Promise<void> {
    await new Promise<void>((resolve) => this.#held.push(resolve));
  }

  /** Takes an order as JSON; `[]` takes all of them back. */
  order(text: string): void {
    const orders = JSON.parse(text) as readonly Order[];
    this.#waiting = orders.map((order) => ({ order, after: order.after ?? 0, times: order.times ?? 1 }));
    for (const release of this.#held.splice(0)) release();
  }

  /** The fault of a statement; undefined where it goes well. */
  of(statement: string): Fault | undefined {
    const waiting = this.#waiting.find(({ order, times }) => times > 0 && statement.includes(order.statement));
    if (waiting === undefined) return undefined;
    if (waiting.after > 0) {
      waiting.after -= 1;
      return undefined;
    }
    waiting.times -= 1;
    return waiting.order;
  }
}

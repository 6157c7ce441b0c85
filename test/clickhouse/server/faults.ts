/** What goes wrong with a statement: it fails, is never run, comes late, or its answer does not arrive, or only half of it, though it was run. */
export type Fault =
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "refuse" | "lose" | "cut" }
  | { readonly kind: "slow"; readonly ms: number };

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

  /** Takes an order as JSON; `[]` takes all of them back. */
  order(text: string): void {
    const orders = JSON.parse(text) as readonly Order[];
    this.#waiting = orders.map((order) => ({ order, after: order.after ?? 0, times: order.times ?? 1 }));
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

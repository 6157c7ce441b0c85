import type { EventInput } from "daybook";

interface Invoice {
  readonly userId: EventInput["userId"];
  createdAtMs: number;
  /** Thousandths of a pound: unit prices have up to three decimals, so their sum stays whole. */
  revenueThousandths: number;
  lineCount: number;
}

/**
 * Groups order lines into invoices. Each invoice becomes one `purchase`, or one `refund` if its number begins with C, with
 * the sum of its lines and their earliest time. Revenue belongs to the invoice, so that an order counts once.
 */
export class Invoices {
  readonly #byNumber = new Map<string, Invoice>();

  /** Adds one `order_line` event. */
  add(line: EventInput): void {
    const { order_id: number, quantity, unit_price: unitPrice } = (line.metadata ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof number !== "string" || typeof quantity !== "number" || typeof unitPrice !== "number") {
      throw new TypeError(`expected an order line with order_id, quantity and unit_price, got ${JSON.stringify(line)}`);
    }
    const createdAtMs = Number(line.createdAt);
    const invoice = this.#byNumber.get(number) ?? this.#open(number, line, createdAtMs);
    invoice.createdAtMs = Math.min(invoice.createdAtMs, createdAtMs);
    invoice.revenueThousandths += Math.round(unitPrice * 1000) * quantity;
    invoice.lineCount += 1;
  }

  /** One event per invoice, ordered by the first line of each. */
  *events(): Generator<EventInput> {
    for (const [number, invoice] of this.#byNumber) {
      yield {
        id: `online-retail invoice ${number}`,
        name: number.startsWith("C") ? "refund" : "purchase",
        ...(invoice.userId === undefined ? {} : { userId: invoice.userId }),
        createdAt: invoice.createdAtMs,
        metadata: { order_id: number, revenue: invoice.revenueThousandths / 1000, currency: "GBP", lines: invoice.lineCount },
      };
    }
  }

  #open(number: string, line: EventInput, createdAtMs: number): Invoice {
    const opened: Invoice = {
      userId: line.userId,
      createdAtMs,
      revenueThousandths: 0,
      lineCount: 0,
    };
    this.#byNumber.set(number, opened);
    return opened;
  }
}

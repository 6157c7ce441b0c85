import type { Daybook, EventInput } from "daybook";

/** Numbers of five events: 0.1, 0.2, 3, 1 and -2. All else has none, arrays of numbers too. */
const values: readonly unknown[] = [0.1, 0.2, "3.0", 1, "-2e0", true, "abc", "1e400", [50], [1, 2, "1"], ["7"], [[7]], { a: 1 }, null, "", []];

type Trends = Pick<Daybook, "trend" | "identify" | "group"> & { ingest(events: readonly EventInput[]): Promise<unknown> };

/** Each value in metadata, at a path within it, and as a trait of a person and of a company. */
export async function tellNumbers(daybook: Trends): Promise<void> {
  const events = values.map((value, at): EventInput => ({
    name: "seen", createdAt: Date.UTC(2026, 2, 1) + at, userId: `u${at}`, companyId: `c${at}`, metadata: { x: value, deep: { x: value } } as NonNullable<EventInput["metadata"]>,
  }));
  await daybook.ingest(events);
  for (const [at, value] of values.entries()) {
    const traits = { x: value } as NonNullable<EventInput["metadata"]>;
    await daybook.identify({ userId: `u${at}`, traits, createdAt: Date.UTC(2026, 2, 1) });
    await daybook.group({ companyId: `c${at}`, userId: `u${at}`, traits, createdAt: Date.UTC(2026, 2, 1) });
  }
}

export const NUMBER_FIELDS = ["x", "metadata.x", "metadata.deep.x", "person.x", "company.x"] as const;

/** Number of events, and figures, of a field. */
export async function figuresOf(daybook: Pick<Trends, "trend">, field: string): Promise<unknown[]> {
  const types = ["sum", "avg", "min", "median", "max", "unique_values"] as const;
  const trends = await Promise.all(types.map((type) => daybook.trend({ interval: "total", measure: { type, field } })));
  return trends.map(({ series: [series] }) => [series?.counted, series?.total]);
}

/** The distinct values are 0.1, 0.2, 3.0, 1, -2e0, true, abc, 1e400, 50, 2, 7 and {"a":1}: of arrays their elements. */
export const NUMBER_FIGURES: readonly unknown[] = [[5, 2.3], [5, 0.46], [5, -2], [5, 0.2], [5, 3], [13, 12]];

import type { CountEventsInput } from "../../../src/query/plan/input.js";
import type { EventInput } from "../../../src/core/schema/event.js";
import type { Random } from "../../../src/testing/random.js";

/** Texts of numbers about 2^53 and beyond, as a filter or text metadata may have them; several round to one double. */
const texts = [
  "9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994", "-9007199254740992", "-9007199254740993", "-9007199254740994", "9007199254740993.0",
  "1234567890123456767", "1234567890123456768", "1234567890123456789", "1234567890123456800", "18446744073709551615", "18446744073709551616", "1.8446744073709552e19",
  "9999999999999999", "10000000000000000", "99999999999999999999999", "100000000000000000000000", "1e23", "1e22", "10000000000000000000000", "10000000000000000000001",
  "-1e22", "-10000000000000000000001", `1${"0".repeat(40)}1`, "0", "7", "-7.5", "3",
] as const;
const numbers = [2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, -(2 ** 53), 1234567890123456800, 2 ** 64, 1e16, 1e22, 1e23, -1e22, 0, 7, -7.5];
const fields = ["metadata.n", "metadata.n", "user_id", "external_id", "location_lon"];

/** Events whose ids and metadata hold such numbers, as numbers where metadata may have them. */
export function longIntegerHistory(random: Random): EventInput[] {
  return Array.from({ length: 120 }, (_, at): EventInput => {
    const value = () => (random.chance(0.4) ? random.pick(numbers) : random.pick(texts));
    const n = random.chance(0.2) ? [value(), value()] : value();
    const money = random.chance(0.3) ? { value: 1, externalId: random.pick(texts) } : random.chance(0.3) ? { metadata: { n, revenue: 1, order_id: value() } } : {};
    return { id: `n ${at}`, name: "n", createdAt: Date.UTC(2026, 2, 1) + at, userId: random.pick(texts), locationLon: value(), metadata: { n }, ...money };
  });
}

/** A filter by one of them: every operator that compares. */
export function longIntegerFilter(random: Random): Required<CountEventsInput>["filterGroups"] {
  const operator = random.pick(["=", "!=", "in", "not_in", ">", ">=", "<", "<=", "between", "not_between"]);
  const isList = ["in", "not_in", "between", "not_between"].includes(operator);
  const [first, second] = [random.pick(texts), random.pick(texts)];
  const value = isList ? random.pick([`${first},${second}`, `[${first},${second}]`, `["${first}",${second}]`]) : random.pick([first, random.pick(numbers)]);
  return [{ filters: [{ fieldName: random.pick(fields), operator, value }] }];
}

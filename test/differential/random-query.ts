import type { CountEventsInput, FilterInput } from "daybook";
import type { Random } from "daybook/testing";
import { domain } from "./scalar-history.js";
import { literal } from "./sql-store.js";

/** The same condition for a Daybook and as SQL. */
export interface Query {
  readonly input: CountEventsInput;
  readonly sql: string;
}

interface Condition {
  readonly filter: FilterInput;
  readonly sql: string;
}

/** A random scope with project, name, user, dates and groups of filters. */
export function randomQuery(random: Random, takesUser: boolean): Query {
  const input: { -readonly [K in keyof CountEventsInput]: CountEventsInput[K] } = {};
  const sql = ["true"];
  const maybe = (probability: number, put: () => string) => {
    if (random.chance(probability)) sql.push(put());
  };
  maybe(0.3, () => `project = ${literal((input.project = random.pick(domain.project)))}`);
  maybe(0.3, () => `name = ${literal((input.eventName = random.pick(domain.name)))}`);
  maybe(0.4, () => `ms >= epoch_ms(timestamp '${(input.startDate = random.pick(["2026-02-27", "2026-02-28", "2026-03-01"]))}')`);
  maybe(0.4, () => `ms < epoch_ms(timestamp '${(input.endDate = random.pick(["2026-03-01", "2026-03-02"]))}' + interval 1 day)`);
  if (takesUser) maybe(0.2, () => userSql((input.userId = random.pick(["u", "d"]) + random.below(60))));
  maybe(0.8, () => {
    const group = () => Array.from({ length: random.between(1, 3) }, () => condition(random));
    const groups = Array.from({ length: random.between(1, 3) }, group);
    input.filterGroups = groups.map((group) => ({ filters: group.map(({ filter }) => filter) }));
    return `(${groups.map((group) => `(${group.map(({ sql: one }) => one).join(" and ")})`).join(" or ")})`;
  });
  return { input, sql: sql.join(" and ") };
}

function userSql(id: string): string {
  if (id.startsWith("u")) return `coalesce(identity = 'u${id}', false)`;
  const owner = `select 'u' || arg_min(user_id, (ms, user_id)) from events where anonymous_id = '${id}' and user_id is not null`;
  return `coalesce(identity = coalesce((${owner}), 'a${id}'), false)`;
}

const textColumns = ["browser", "url", "location_lat", "plan"] as const;
const wireNames: Readonly<Record<string, string>> = { plan: "metadata.plan", amount: "metadata.amount", flag: "metadata.flag" };

function condition(random: Random): Condition {
  const positive = random.pick([equality, equality, membership, substring, pattern, number, boolean, instant, presence])(random);
  const { filter, sql } = positive;
  const complement = complements[filter.operator];
  if (complement === undefined || random.chance(0.5)) return { filter, sql: `coalesce(${sql}, false)` };
  return { filter: { ...filter, operator: complement }, sql: `not coalesce(${sql}, false)` };
}

const complements: Readonly<Record<string, string>> = {
  "=": "!=", in: "not_in", contains: "not_contains", starts_with: "not_starts_with", ends_with: "not_ends_with",
  regex: "not_regex", between: "not_between", is_set: "is_not_set",
};

function put(column: string, operator: string, value: unknown, sql: string): Condition {
  return { filter: { fieldName: wireNames[column] ?? column, operator, value }, sql };
}

function equality(random: Random): Condition {
  const column = random.pick(textColumns);
  const value = random.pick<string>(domain[column]);
  return put(column, "=", value, `${column} = ${literal(value)}`);
}

function membership(random: Random): Condition {
  const column = random.pick(textColumns);
  const values = [random.pick<string>(domain[column]), random.pick<string>(domain[column]), "other"];
  return put(column, "in", values.join(","), `${column} in (${values.map(literal).join(",")})`);
}

function substring(random: Random): Condition {
  const column = random.pick(textColumns);
  const [operator, call] = random.pick([["contains", "contains"], ["starts_with", "starts_with"], ["ends_with", "suffix"]] as const);
  const value = random.pick(["C", "r", "%", "_", "'", "É", "/A", "0", "e", "\u{1F600}"]);
  return put(column, operator, value, `${call}(lower(${column}), lower(${literal(value)}))`);
}

function pattern(random: Random): Condition {
  const column = random.pick(textColumns);
  const value = random.pick(["^/a", "[a-z]$", "(?i)^C.*M", "\\d{2}", "\\p{Lu}", "^.$", "a|b", "\\bpro\\b", "[^[:alpha:]]"]);
  return put(column, "regex", value, `regexp_matches(${column}, ${literal(value)})`);
}

function number(random: Random): Condition {
  const [column, sql] = random.pick([["amount", "amount"], ["location_lat", "try_cast(location_lat as double)"]] as const);
  const [low, high] = [random.pick(["-2", "0", "3"]), random.pick(["2.25", "52.5", "1e3"])];
  const operator = random.pick([">", ">=", "<", "<=", "=", "between"]);
  if (operator === "between") return put(column, operator, `${low},${high}`, `${sql} between ${low} and ${high}`);
  if (operator === "=") return put("amount", operator, high, `amount = ${high}`);
  return put(column, operator, high, `${sql} ${operator} ${high}`);
}

function boolean(random: Random): Condition {
  const value = random.chance(0.5);
  return put("flag", "=", `${value}`, `flag = ${value}`);
}

function instant(random: Random): Condition {
  const operator = random.pick([">", ">=", "<", "<="]);
  const at = random.pick(["2026-03-01T00:00:00Z", "2026-02-28T22:30:00-01:30"]);
  return put("createdAt", operator, at, `ms ${operator} epoch_ms(timestamp '2026-03-01')`);
}

function presence(random: Random): Condition {
  const column = random.pick(["user_id", "amount", "flag", "url", "identity_id"]);
  return put(column, "is_set", undefined, `${column === "identity_id" ? "identity" : column} is not null`);
}

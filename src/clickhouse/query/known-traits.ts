import { getOrMake } from "../../core/base/arrays.js";
import { canonicalJson, isSetJson, labelOf, TraitPath, type RecordedTraits } from "../../query/filter/value-test.js";
import type { Operand, AnyPlan } from "../../query/plan/plan.js";
import { operandsOf } from "../../query/plan/scopes-of.js";
import { listsOf } from "../connection/connection.js";
import { taggedLeaves } from "../ingest/event-rows.js";
import { allOf, anyOf, combinations, sql, text, texts, wholes, type Sql } from "../sql/sql.js";
import { isInForce, recordsInForce, identityKeyOf, type IdentityContext } from "./identity-context.js";

export type TraitOperand = Extract<Operand, { readonly kind: "person" | "company" }>;

/** One trait of all people, or of all companies, in the snapshot of a query. */
class KnownTrait {
  readonly #owners: string[] = [];
  /** For each owner the position of its value, from 1. */
  readonly #places: number[] = [];
  readonly #values: unknown[] = [];
  readonly #placeOfText = new Map<string, number>();

  /** @param owner a person as in `identityKeyOf`, or the id of a company */
  add(owner: string, value: unknown): void {
    if (!isSetJson(value)) return;
    this.#owners.push(owner);
    this.#places.push(getOrMake(this.#placeOfText, canonicalJson(value), () => this.#values.push(value)));
  }

  /** Rows of `owner`, the `leaves` of its value, and the value's `label`. */
  rows(): Sql {
    const values = this.#values;
    const places = wholes(values.map((_, at) => at + 1));
    const owned = sql`SELECT arrayJoin(arrayZip(${texts(this.#owners)}, ${wholes(this.#places)})) AS owned`;
    const known = sql`SELECT arrayJoin(arrayZip(${places}, ${combinations(values.map(taggedLeaves))}, ${texts(values.map(labelOf))})) AS known`;
    return sql`SELECT owned.1 AS owner, known.2 AS leaves, known.3 AS label FROM (${owned}) AS every
      ANY LEFT JOIN (${known}) AS each ON known.1 = owned.2`;
  }
}

export type TraitLookup = (operand: TraitOperand) => KnownTrait;

export const NOTHING_KNOWN: TraitLookup = () => new KnownTrait();

/** The embedded engine's code decides which record counts. Memory: an id per owner with the trait, and the distinct values. */
export async function knownOfPlan(plan: AnyPlan, context: IdentityContext): Promise<TraitLookup> {
  const known = new Map<string, KnownTrait>();
  for (const { operand } of operandsOf(plan)) {
    if (operand.kind !== "person" && operand.kind !== "company") continue;
    const name = nameOf(operand);
    const isEmail = operand.kind === "person" && operand.path === "email";
    if (!known.has(name)) known.set(name, await (isEmail ? newestEmails(context) : traitOf(operand, context)));
  }
  return (operand) => known.get(nameOf(operand)) ?? new KnownTrait();
}

export function nameOf({ kind, path }: TraitOperand): string {
  return `${kind} ${path}`;
}

async function newestEmails(context: IdentityContext): Promise<KnownTrait> {
  const known = new KnownTrait();
  const emails = sql`SELECT owner, argMax(email, (ms, toUInt128(id))) FROM (${ownedRecords("person", sql`email != ''`, context)}) GROUP BY owner`;
  for await (const [owner, email] of context.connection.stream<[string, string]>(emails)) known.add(owner, email);
  return known;
}

async function traitOf({ kind, path }: TraitOperand, context: IdentityContext): Promise<KnownTrait> {
  const known = new KnownTrait();
  const trait = new TraitPath(path);
  const hasTrait = anyOf(trait.written.map((written) => sql`position(traits, ${text(written)}) > 0`));
  const statement = sql`SELECT owner, ms, traits FROM (${ownedRecords(kind, hasTrait, context)}) ORDER BY owner, ms, toUInt128(id)`;
  for await (const records of listsOf(context.connection.stream<readonly [owner: string, ms: number, traits: string]>(statement)))
    known.add(records[0]?.[0] ?? "", trait.newest(records.map(([, ms, traits]): RecordedTraits => ({ ms, traits }))));
  return known;
}

function ownedRecords(kind: TraitOperand["kind"], condition: Sql, context: IdentityContext): Sql {
  if (kind === "person") return sql`SELECT ${identityKeyOf(context)} AS owner, id, ms, email, traits FROM ${recordsInForce("identify", condition, context)}`;
  const where = allOf([sql`kind = 'group'`, isInForce(sql`id`, context), condition]);
  return sql`SELECT companyId AS owner, id, ms, traits FROM ${context.tables.all("records")} WHERE ${where}`;
}

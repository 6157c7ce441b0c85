import { assert } from "../../core/base/errors.js";
import { hash128, toHex } from "../../core/base/hash.js";
import type { Steps } from "../../core/base/yield.js";
import { isoOf, dayStartMs } from "../../core/base/time.js";
import { uuidText } from "../../core/base/uuid.js";
import { CodeSet } from "../../storage/column/code-set.js";
import type { Dictionary } from "../../storage/column/dictionary.js";
import type { JsonDictionary } from "../../storage/column/json-dictionary.js";
import { COMPANY_COLUMNS } from "../../identity/company-view.js";
import type { IdentityIds } from "../../identity/identity-ids.js";
import type { IdentityView } from "../../identity/identity-view.js";
import { heldNumberOf } from "../plan/filters/number-form.js";
import type { PlannedFilter, Operand, QueryScope, Test, TouchDimension } from "../plan/plan.js";
import { ID_COLUMN, TIME_COLUMN, metadataColumn } from "../../core/schema/fields.js";
import { referrerDomainOf } from "../../core/schema/web-address.js";
import type { Rows } from "../../storage/segment/rows.js";
import {
  ALWAYS, NEVER, codesPredicate, columnsOf, testedInSteps, type IdentityTestContext, type KnownValues, type MembersOf, type ActorTest, type Predicate,
} from "./predicate.js";
import type { Selector } from "./select.js";
import { COMPANY_READER_COLUMNS, CompanyReader } from "./company-reader.js";
import { pathOf, walk, compileValueTest, type ValueTest } from "./value-test.js";

export interface FilterContext extends IdentityTestContext {
  readonly identities: IdentityView;
  /** The identity of the scope's user id in the snapshot of identities; 0 if there is none. */
  readonly person: number;
  /** Null if no filter tests an identity id for equality. */
  readonly identityIds: IdentityIds | null;
  /** Null if no filter reads the touch of a visit. */
  readonly touches: RowTouches | null;
  readonly membersOf: MembersOf;
}

interface RowTouches {
  readonly columns: readonly string[];
  /** Null for a visit without a touch; a dimension is null if the touch does not set it. */
  touch(rows: Rows, row: number): Readonly<Record<TouchDimension, string | null>> | null;
}

export class SelectorCompiler {
  readonly #compiler: Compiler;
  readonly #known = new Map<PlannedFilter, Predicate>();

  constructor(context: FilterContext) {
    this.#compiler = new Compiler(context);
  }

  /**
   * Cost: the values of dictionaries; rows are not read. A step takes some milliseconds.
   * @param deferActorFilters puts filters that depend only on the actor into `actorFilter`, which is tested last
   */
  *compile(planned: QueryScope, deferActorFilters: boolean): Steps<Selector> {
    const compiler = this.#compiler;
    const deferred = deferActorFilters && planned.where.length === 1 ? (planned.where[0] ?? []).filter(({ operand }) => dependsOnActor(operand)) : [];
    const scope = deferred.length === 0 ? planned : without(planned, deferred);
    const tests: ActorTest[] = [];
    for (const comparison of deferred) tests.push(yield* compiler.actorTest(comparison));
    const testedBefore = compiler.testedValueCount;
    const all: Predicate[] = [];
    if (scope.project !== null) all.push(compiler.exactly("project", scope.project));
    if (scope.eventName !== null) all.push(compiler.exactly("name", scope.eventName));
    if (scope.userId !== null) all.push(compiler.person());
    const groups: Predicate[][] = [];
    for (const group of scope.where) {
      const predicates: Predicate[] = [];
      for (const comparison of group) {
        predicates.push(yield* this.#predicateOf(comparison));
        yield;
      }
      groups.push(predicates);
    }
    const any = groups.length === 1 ? [] : groups;
    if (groups.length === 1) all.push(...(groups[0] ?? []));
    const columns = new Set([...all, ...any.flat()].flatMap(columnsOf));
    return {
      all: all.filter((predicate) => predicate !== ALWAYS),
      any: any.some((group) => group.every((predicate) => predicate === ALWAYS)) ? [] : any,
      fromMs: scope.range.fromMs,
      toMs: scope.range.toMs,
      key: keyOf(scope),
      actorFilter: tests.length > 1 ? (actor) => tests.every((passes) => passes(actor)) : (tests[0] ?? null),
      columns: [...columns],
      testedValueCount: compiler.testedValueCount - testedBefore,
    };
  }

  *#predicateOf(comparison: PlannedFilter): Steps<Predicate> {
    let predicate = this.#known.get(comparison);
    if (predicate === undefined) this.#known.set(comparison, (predicate = yield* this.#compiler.comparison(comparison)));
    return predicate;
  }
}

function keyOf({ project, eventName, userId, where }: QueryScope): string | null {
  if (userId !== null || where.some((group) => group.some(({ operand }) => dependsOnIdentities(operand)))) return null;
  // A hash, because filters may be long, and may contain personal data.
  return project === null && eventName === null && where.length === 0 ? "" : toHex(hash128("filters", JSON.stringify([project, eventName, where])));
}

/** Whether its value follows from identities, which change. */
function dependsOnIdentities({ kind }: Operand): boolean {
  return ["identityId", "companyId", "person", "company", "paymentTouch", "segment"].includes(kind);
}

function dependsOnActor({ kind }: Operand): boolean {
  return kind === "person" || kind === "segment";
}

/** @param scope with one group of filters */
function without(scope: QueryScope, deferred: readonly PlannedFilter[]): QueryScope {
  const rest = (scope.where[0] ?? []).filter((comparison) => !deferred.includes(comparison));
  return { ...scope, where: rest.length === 0 ? [] : [rest] };
}

class Compiler {
  testedValueCount = 0;

  constructor(readonly context: FilterContext) {}

  exactly(column: string, value: string): Predicate {
    const dictionary = this.context.dictionaries.named(column);
    return codesPredicate(column, CodeSet.ofList([dictionary.codeOf(value)], false, dictionary.size));
  }

  person(): Predicate {
    const { identities, person } = this.context;
    return person === 0 ? NEVER : this.#actors(identities.actorsOf(person), false, false);
  }

  /** @param notSet whether events without an actor pass, before the negation */
  #actors(actors: readonly number[], notSet: boolean, negated: boolean): Predicate {
    const { dictionaries } = this.context;
    const codes = (role: number) => [...(notSet ? [0] : []), ...actors.filter((actor) => (actor & 1) === role).map((actor) => actor >>> 1)];
    return actorPredicate(
      CodeSet.ofList(codes(0), negated, dictionaries.named("userId").size),
      CodeSet.ofList(codes(1), negated, dictionaries.named("anonymousId").size),
    );
  }

  *comparison(comparison: PlannedFilter): Steps<Predicate> {
    const { operand, test, negated } = comparison;
    const value = compileValueTest(test, this.context.regexes);
    switch (operand.kind) {
      case "field":
        return yield* this.#field(operand.field, test, value, negated);
      case "companyId":
        return yield* this.#companyId(value, negated);
      case "person":
      case "segment":
        return actorPredicate(...(yield* this.#actorSets(yield* this.actorTest(comparison), false)));
      case "company":
        return yield* this.#company(operand.path, value, negated);
      case "path":
        return yield* this.#derived("url", (text) => value.string(pathOf(text)), negated);
      case "referrerDomain":
        return yield* this.#derived("referrer", (text) => value.string(referrerDomainOf(text)), negated);
      case "metadataKey":
        return yield* this.#metadata(operand.key, [], test, value, negated);
      case "metadataPath":
        return yield* this.#metadata(operand.path, operand.path.split("."), test, value, negated);
      case "member":
        return yield* this.#member(operand.field, test, value, negated);
      case "touch":
        return this.#touch(operand.dimension, value, negated);
      case "identityId":
        return yield* this.#identityId(test, value, negated);
      case "id":
      case "createdAt":
        return rowPredicate(operand, test, value, negated);
      case "paymentTouch":
        return this.#paymentTouch(operand, value, negated);
    }
  }

  /** Whether an actor's events pass a filter by traits or by segment; actor 0 is none. */
  *actorTest({ operand, test, negated }: PlannedFilter): Steps<ActorTest> {
    const { identities, known, membersOf } = this.context;
    if (operand.kind === "segment") {
      // The query is only explained: any actor may be a member.
      if (membersOf === null) return () => true;
      const members = membersOf(operand.segment);
      return (actor) => (actor >= 2 && members.has(identities.identityOf(actor))) !== negated;
    }
    assert(operand.kind === "person", "a filter of actors tests traits or segments");
    const values = known.person(operand.path);
    const passing = yield* this.#passing(values, compileValueTest(test, this.context.regexes));
    return (actor) => (passing[values.numberOf(identities.identityOf(actor))] === 1) !== negated;
  }

  *#field(column: string, test: Test, value: ValueTest, negated: boolean): Steps<Predicate> {
    if (test.op !== "equals") return yield* this.#derived(column, value.string, negated);
    const dictionary = this.context.dictionaries.named(column);
    return codesPredicate(column, CodeSet.ofList(yield* dictionary.codesOfAll(test.values), negated, dictionary.size));
  }

  *#derived(column: string, test: (text: string) => boolean, negated: boolean): Steps<Predicate> {
    const dictionary = this.context.dictionaries.named(column);
    return codesPredicate(column, yield* this.#testAll(dictionary, (code) => test(dictionary.valueOf(code)), negated));
  }

  /** Tests the field of the event, or the metadata key of that name if the field is not set. */
  *#member(field: "value" | "currency", test: Test, value: ValueTest, negated: boolean): Steps<Predicate> {
    const { dictionaries } = this.context;
    const dictionary = dictionaries.named(field);
    const passes = (code: number) => (field === "value" && code > 0 ? value.json(Number(dictionary.valueOf(code))) : value.string(dictionary.valueOf(code)));
    const own = yield* this.#testAll(dictionary, passes, negated);
    const key = dictionaries.knownKeyCode(field);
    if (key < 0) return codesPredicate(field, own);
    return { kind: "codes", columns: [field, metadataColumn(key)], sets: [own, yield* this.#jsonSet(dictionaries.ofKey(key), test, value, negated)] };
  }

  #touch(dimension: TouchDimension, value: ValueTest, negated: boolean): Predicate {
    const { touches } = this.context;
    assert(touches !== null, "a filter by touch was compiled without touches");
    const test = (rows: Rows, row: number) => value.string(touches.touch(rows, row)?.[dimension] ?? "") !== negated;
    return { kind: "row", columns: touches.columns, prepare: (rows) => (row) => test(rows, row) };
  }

  /** A row whose label is unknown does not pass; the query then restarts. */
  #paymentTouch({ model, dimension }: Extract<Operand, { kind: "paymentTouch" }>, value: ValueTest, negated: boolean): Predicate {
    const labels = this.context.known.paymentTouch(model);
    const passing: (boolean | undefined)[] = [];
    const passes = (label: number) => label >= 0 && (passing[label] ??= value.string(labels.textOf(label, dimension)) !== negated);
    const prepare = (rows: Rows) => {
      const labelOf = labels.of(rows);
      return (row: number) => passes(labelOf(row));
    };
    return { kind: "row", columns: labels.columns, prepare };
  }

  *#metadata(key: string, segments: readonly string[], test: Test, value: ValueTest, negated: boolean): Steps<Predicate> {
    const { dictionaries } = this.context;
    const columns: string[] = [];
    const sets: CodeSet[] = [];
    const literal = dictionaries.knownKeyCode(key);
    if (literal >= 0) {
      columns.push(metadataColumn(literal));
      sets.push(yield* this.#jsonSet(dictionaries.ofKey(literal), test, value, negated));
    }
    const root = segments.length > 1 ? dictionaries.knownKeyCode(segments[0] ?? "") : -1;
    if (root >= 0) {
      const dictionary = dictionaries.ofKey(root);
      const rest = segments.slice(1);
      columns.push(metadataColumn(root));
      sets.push(yield* this.#testAll(dictionary, (code) => value.json(walk(dictionary.json(code), rest)), negated));
    }
    if (columns.length === 0) return value.notSet === negated ? NEVER : ALWAYS;
    return { kind: "codes", columns, sets };
  }

  /** Equality looks up the few possible texts; other tests run over every value. */
  *#jsonSet(dictionary: JsonDictionary, test: Test, value: ValueTest, negated: boolean): Steps<CodeSet> {
    if (test.op !== "equals") return yield* this.#testAll(dictionary, (code) => value.json(dictionary.json(code)), negated);
    const texts = test.values.flatMap((text) => {
      const number = heldNumberOf(text);
      const scalars = text === "" ? ["", '""', "null"] : [JSON.stringify(text), text === "true" || text === "false" ? text : ""];
      return number === null ? scalars : [...scalars, JSON.stringify(number)];
    });
    const notSet = test.values.includes("");
    const codes = yield* dictionary.codesOfAll(texts.filter((text) => text !== "" || notSet));
    const arrays = dictionary.arrayCodes();
    this.testedValueCount += arrays.length;
    const passing = yield* testedInSteps(arrays.length, (at) => value.json(dictionary.json(arrays[at] ?? 0)));
    for (const [at, code] of arrays.entries()) if (passing[at] === 1) codes.push(code);
    return CodeSet.ofList(codes, negated, dictionary.size);
  }

  /** Equality looks up the named identities; other tests run over all of them. */
  *#identityId(test: Test, value: ValueTest, negated: boolean): Steps<Predicate> {
    const { identities, identityIds } = this.context;
    if (test.op === "equals" && identityIds !== null) {
      const named = test.values.flatMap((text) => identityIds.actorsOf(text)).filter((actor) => identities.identityOf(actor) === actor);
      return this.#actors(named.flatMap((identity) => identities.actorsOf(identity)), value.notSet, negated);
    }
    const passes = (actor: number) => {
      const identity = identities.identityOf(actor);
      return identity < 2 ? value.notSet : value.string(identities.identityId(identity));
    };
    return actorPredicate(...(yield* this.#actorSets(passes, negated)));
  }

  *#company(path: string, value: ValueTest, negated: boolean): Steps<Predicate> {
    const values = this.context.known.company(path);
    const passing = yield* this.#passing(values, value);
    return yield* this.#ofCompany((company) => passing[values.numberOf(company)] === 1, negated);
  }

  *#passing(values: KnownValues, value: ValueTest): Steps<Uint8Array> {
    this.testedValueCount += values.values.length;
    return yield* testedInSteps(values.values.length, (number) => value.json(values.values[number]));
  }

  *#companyId(value: ValueTest, negated: boolean): Steps<Predicate> {
    const dictionary = this.context.dictionaries.named("companyId");
    const own = yield* this.#testAll(dictionary, (code) => value.string(dictionary.valueOf(code)), false);
    return yield* this.#ofCompany((company) => (company === 0 ? value.notSet : own.has(company)), negated);
  }

  /** Tests the company of the event, or that of its identity at that time. Rows are read only if an identity has changed companies. */
  *#ofCompany(passes: (company: number) => boolean, negated: boolean): Steps<Predicate> {
    const { dictionaries, identities, companies } = this.context;
    assert(companies !== null, "a filter by company was compiled without companies");
    if (companies.hasChanges) {
      const prepare = (rows: Rows) => {
        const reader = new CompanyReader(rows, identities, companies);
        return (row: number) => passes(reader.companyOf(row)) !== negated;
      };
      return { kind: "row", columns: [...COMPANY_READER_COLUMNS, ID_COLUMN], prepare };
    }
    const test = (actor: number) => passes(actor < 2 ? 0 : companies.onlyCompany(identities.identityOf(actor)));
    const set = yield* this.#testAll(dictionaries.named("companyId"), (code) => passes(code), negated);
    return { kind: "codes", columns: COMPANY_COLUMNS, sets: [set, ...(yield* this.#actorSets(test, negated))] };
  }

  *#actorSets(test: (actor: number) => boolean, negated: boolean): Steps<[CodeSet, CodeSet]> {
    const { dictionaries } = this.context;
    return [
      yield* this.#testAll(dictionaries.named("userId"), (code) => test(code * 2), negated),
      yield* this.#testAll(dictionaries.named("anonymousId"), (code) => test(code * 2 + 1), negated),
    ];
  }

  *#testAll(dictionary: Dictionary, test: (code: number) => boolean, negated: boolean): Steps<CodeSet> {
    const table = yield* testedInSteps(dictionary.size, (code) => test(code) !== negated);
    this.testedValueCount += table.length;
    return CodeSet.ofTable(table);
  }
}

/** Tests the code of the user id, or that of the anonymous id if there is no user id. */
function actorPredicate(users: CodeSet, anonymous: CodeSet): Predicate {
  return { kind: "codes", columns: ["userId", "anonymousId"], sets: [users, anonymous] };
}

function rowPredicate(operand: Operand, test: Test, value: ValueTest, negated: boolean): Predicate {
  if (test.op === "isSet") return negated ? NEVER : ALWAYS;
  if (operand.kind === "createdAt" && test.op === "instant")
    return { kind: "instant", fromMs: test.fromMs ?? -Infinity, toMs: test.toMs ?? Infinity, negated };
  const text = operand.kind === "id" ? idText : timeText;
  return {
    kind: "row",
    columns: [operand.kind === "id" ? ID_COLUMN : TIME_COLUMN],
    prepare: (rows) => {
      const textAt = text(rows);
      return (row) => value.string(textAt(row)) !== negated;
    },
  };
}

function idText(rows: Rows): (row: number) => string {
  const ids = rows.ids();
  return (row) => uuidText(ids, row * 16);
}

function timeText(rows: Rows): (row: number) => string {
  const times = rows.times();
  const start = dayStartMs(rows.day);
  return (row) => isoOf(start + (times[row] as number));
}

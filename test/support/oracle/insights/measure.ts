import { parameterError } from "../../../../src/core/base/errors.js";
import type { NumericMeasureType, TrendMeasure } from "../../../../src/query/plan/input.js";
import type { OracleEvent } from "../event.js";
import { fieldReader } from "../field.js";
import { jsonNumberOf, propertiesOf, textOf } from "../json.js";
import { remembered } from "../remembered.js";
import type { World } from "../world.js";
import { averageOf, decimalOf, percentileOf, shownDecimal, sumOf, type Fraction } from "./exact.js";
import { userCount } from "./query.js";

/** What is made of events; of sessions by their first events. */
export interface Measure {
  /** Whether anything is made of an event. */
  counts(event: OracleEvent): boolean;
  figure(events: readonly OracleEvent[]): number | null;
}

const PERCENTS: Readonly<Record<Exclude<NumericMeasureType, "sum" | "avg">, number>> = {
  min: 0, p25: 25, median: 50, p75: 75, p90: 90, p95: 95, p99: 99, max: 100,
};

export function measureOf(world: World, measure: TrendMeasure): Measure {
  const { type, field } = measure;
  if (type === "events" || type === "sessions") return { counts: () => true, figure: (events) => events.length };
  if (type === "unique_users") {
    return { counts: (event) => world.identities.of(event) !== null, figure: (events) => userCount(world, events) };
  }
  if (type === "revenue") return revenueMeasure(world);
  if (typeof field !== "string") throw parameterError("invalid_parameter", "measure.field", "expected the name of a field");
  const read = fieldReader(field, world);
  if (type === "unique_values") {
    const valuesOf = remembered((event: OracleEvent) => [...propertiesOf(read(event))].filter((property) => property !== ""));
    return { counts: (event) => valuesOf(event).length > 0, figure: (events) => new Set(events.flatMap(valuesOf)).size };
  }
  const numbersOf = remembered((event: OracleEvent) => numbersIn(read(event)).map(decimalOf));
  const fraction = fractionOf(type);
  return {
    counts: (event) => numbersOf(event).length > 0,
    figure: (events) => {
      const exact = fraction(events.flatMap(numbersOf));
      return exact === null ? null : shownDecimal(exact);
    },
  };
}

function fractionOf(type: NumericMeasureType): (numbers: readonly bigint[]) => Fraction | null {
  if (type === "sum") return (numbers) => ({ over: sumOf(numbers), under: 1n });
  if (type === "avg") return averageOf;
  const percent = PERCENTS[type];
  if (percent === undefined) throw parameterError("invalid_parameter", "measure.type", "expected a measure");
  return (numbers) => percentileOf(numbers, percent);
}

/** The number of a value, if it has one: a finite JSON number, or a text in that form. An array has none. */
function numbersIn(value: unknown): number[] {
  const number = jsonNumberOf(textOf(value) ?? "");
  return number === null || !Number.isFinite(number) ? [] : [number];
}

function revenueMeasure({ revenue }: World): Measure {
  return {
    counts: (event) => revenue.countedOf([event]).some(revenue.isConvertible),
    figure: (events) => revenue.shown(revenue.sumOf(revenue.countedOf(events))),
  };
}

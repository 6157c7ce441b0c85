/* eslint-disable @typescript-eslint/no-non-null-assertion -- indexes are bounded by their lists */
import { compareCodePoints } from "../../core/base/text-order.js";
import type { RevenueByAttribution, UnconvertedItem, LtvCohorts } from "../plan/answers.js";
import { ZERO, addMoney, compareMoney, majorUnits, MoneySums, majorUnitsPer, type Money } from "./money.js";
import type { RevenueByAttributionPlan } from "../plan/plan.js";
import { touchName, type Touch } from "./touch-of-text.js";
import { isoOfDay } from "../../core/base/time.js";

type Dimension = RevenueByAttributionPlan["dimension"];

interface AttributedSum {
  readonly revenue: Money;
  readonly orders: number;
}

export class AttributedRevenue {
  readonly #sums = new Map<string, AttributedSum>();

  constructor(readonly dimension: Dimension) {}

  /** @param touch null for revenue without a touch */
  add(touch: Touch | null, revenue: Money, orders: number): void {
    const name = touchName(touch, this.dimension);
    const known = this.#sums.get(name) ?? { revenue: ZERO, orders: 0 };
    this.#sums.set(name, { revenue: addMoney(known.revenue, revenue), orders: known.orders + orders });
  }

  /** Revenue descending, then orders, then names by code point. */
  rows(limit: number, currency: string): RevenueByAttribution["rows"] {
    return [...this.#sums]
      .sort(([a, left], [b, right]) => compareMoney(right.revenue, left.revenue) || right.orders - left.orders || compareCodePoints(a, b))
      .slice(0, limit)
      .map(([dimension, { revenue, orders }]) => ({ dimension, revenue: majorUnits(revenue, currency), orders }));
  }
}

/** Orders are positive amounts: each order key counts once, so the sign alone decides. */
export function isOrder(amount: Money): boolean {
  return amount > 0;
}

/** Sums of counted payments without a known rate, by currency in the order of code points. */
export class Unconverted {
  readonly #sums = new Map<string, { money: Money; orders: number }>();

  /** @param orderCount number of orders that the amount covers */
  add(currency: string, amount: Money, orderCount = isOrder(amount) ? 1 : 0): void {
    const { money, orders } = this.#sums.get(currency) ?? { money: ZERO, orders: 0 };
    this.#sums.set(currency, { money: addMoney(money, amount), orders: orders + orderCount });
  }

  items(): UnconvertedItem[] {
    return [...this.#sums]
      .sort(([a], [b]) => compareCodePoints(a, b))
      .map(([currency, { money, orders }]) => ({ currency, revenue: majorUnits(money, currency), orders }));
  }
}

/** Entities and their revenue, by the month of the day on which they were first seen. */
export class Cohorts {
  readonly #months: string[] = [];
  readonly #entityCounts: number[] = [];
  readonly #orderCounts: number[] = [];
  readonly #revenue = new MoneySums();
  readonly #placeOfMonth = new Map<string, number>();
  readonly #placeOfDay = new Map<number, number>();

  addEntities(day: number, count: number): void {
    this.#entityCounts[this.#placeOf(day)]! += count;
  }

  addMoney(day: number, amount: Money, orderCount: number): void {
    const place = this.#placeOf(day);
    this.#revenue.add(place, amount);
    this.#orderCounts[place]! += orderCount;
  }

  /** The newest months, newest first. */
  items(limit: number, currency: string): LtvCohorts["cohorts"] {
    const places = [...this.#months.keys()].sort((a, b) => (this.#months[a]! < this.#months[b]! ? 1 : -1)).slice(0, limit);
    return places.map((place) => {
      const [entities, revenue] = [this.#entityCounts[place]!, this.#revenue.of(place)];
      return {
        cohort: this.#months[place]!,
        entities,
        revenue: majorUnits(revenue, currency),
        orders: this.#orderCounts[place]!,
        ltv: majorUnitsPer(revenue, entities, currency),
      };
    });
  }

  #placeOf(day: number): number {
    let place = this.#placeOfDay.get(day);
    if (place === undefined) {
      place = this.#placeOfNewDay(isoOfDay(day).slice(0, 7));
      this.#placeOfDay.set(day, place);
    }
    return place;
  }

  #placeOfNewDay(month: string): number {
    const known = this.#placeOfMonth.get(month);
    if (known !== undefined) return known;
    const place = this.#months.push(month) - 1;
    this.#entityCounts.push(0);
    this.#orderCounts.push(0);
    this.#placeOfMonth.set(month, place);
    return place;
  }
}

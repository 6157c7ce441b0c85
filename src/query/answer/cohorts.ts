/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the months */
import { isoOfDay } from "../../core/base/time.js";
import type { LtvCohorts } from "../plan/answers.js";
import { MoneySums, majorUnits, majorUnitsPer, type Money } from "./money.js";

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

import type { ReferrerTouch, Touch } from "../../answer/touch-of-text.js";
import type { Touches } from "./touches.js";

type Level<T> = Map<string | null, T>;

/** Numbers the labels (source, medium, campaign) of a store's touches; 0 is no touch. */
export class TouchLabels {
  static #made = 0;
  /** Distinguishes what was derived with these numbers from what was derived with others. */
  readonly name = `touches ${(TouchLabels.#made += 1)}`;
  readonly #labels: (ReferrerTouch | null)[] = [null];
  readonly #numbers: Level<Level<Level<number>>> = new Map();
  readonly #signIns = new Map<string | null, number>();

  get count(): number {
    return this.#labels.length;
  }

  numberOf(touch: ReferrerTouch): number {
    if (touch.isSignIn === true) return below(this.#signIns, touch.source, () => this.#add(touch));
    const ofSource = below(this.#numbers, touch.source, () => new Map<string | null, Level<number>>());
    const ofMedium = below(ofSource, touch.medium, () => new Map<string | null, number>());
    return below(ofMedium, touch.campaign, () => this.#add(touch));
  }

  /** Null for no touch. */
  labelOf(number: number): Touch | null {
    return this.#labels[number] ?? null;
  }

  /** Whether revenue may be attributed to a touch. */
  takesRevenue(number: number): boolean {
    return number !== 0 && this.#labels[number]?.isSignIn !== true;
  }

  #add(touch: ReferrerTouch): number {
    return this.#labels.push(touch) - 1;
  }
}

function below<T>(level: Level<T>, key: string | null, make: () => T): T {
  let value = level.get(key);
  if (value === undefined) {
    value = make();
    level.set(key, value);
  }
  return value;
}

/* eslint-disable @typescript-eslint/no-non-null-assertion -- positions are bounded by the lists */
/** Index of the first touch at or after a time in an ordered list of positions; the list's length for none. Cost: a binary search. */
export function firstTouchAt(touches: Touches, list: ArrayLike<number>, ms: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (touches.msOf(list[middle]!) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The positions of a list from index `at` on that share its millisecond. */
export function touchesAtOnce(touches: Touches, list: ArrayLike<number>, at: number): number[] {
  const run: number[] = [];
  for (let next = at; next < list.length && touches.areAtOnce(list[at]!, list[next]!); next += 1) run.push(list[next]!);
  return run;
}

/** Whether the order of some touches does not matter, because all have one label. */
export function areOfOneLabel(touches: Touches, [first, ...others]: readonly number[]): boolean {
  return first === undefined || others.every((place) => touches.labelOf(place) === touches.labelOf(first));
}
/* eslint-enable @typescript-eslint/no-non-null-assertion */

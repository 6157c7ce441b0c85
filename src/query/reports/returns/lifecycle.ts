/* eslint-disable @typescript-eslint/no-non-null-assertion -- places are below the number of words */
import { cutOf, slotsOf, widened, type AxisScope } from "../../answer/insights/buckets.js";
import { axisOf } from "../../../core/calendar/axis.js";
import type { LifecyclePlan } from "../../plan/insights/plan.js";
import type { LifecycleBucket, Lifecycle } from "../../plan/insights/answers.js";
import { popcount } from "../../../storage/column/bitmap.js";
import { asOfAnswer, type Report, type StateOf } from "../form/report.js";
import { countedEntitiesOf, entitiesByUnit } from "../insights/counted-entities.js";
import { extentOf } from "../insights/row-units.js";
import { BitsOfUnits, type EntityBits } from "./entities-of-units.js";

class LifecycleStates {
  /** Entities active up to the previous unit, and in that unit. */
  readonly #seen: Uint32Array;
  readonly #before: Uint32Array;
  #placesBefore = new Uint32Array(0);
  #activeBefore = 0;

  /** @param wordCount exclusive upper bound of word indexes */
  constructor(wordCount: number) {
    this.#seen = new Uint32Array(wordCount);
    this.#before = new Uint32Array(wordCount);
  }

  addEarlier({ places, words }: EntityBits): void {
    for (let at = 0; at < places.length; at += 1) this.#seen[places[at]!]! |= words[at]!;
  }

  /** The figures of the next unit from the entities active in it. Cost: their words. */
  next({ places, words }: EntityBits): Pick<LifecycleBucket, "new" | "returning" | "resurrecting" | "dormant"> {
    const [seen, before] = [this.#seen, this.#before];
    let [active, newcomers, returning] = [0, 0, 0];
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at]!;
      const own = words[at]!;
      active += popcount(own);
      newcomers += popcount(own & ~seen[place]!);
      returning += popcount(own & before[place]!);
      seen[place]! |= own;
    }
    const figures = { new: newcomers, returning, resurrecting: active - newcomers - returning, dormant: this.#activeBefore - returning };
    for (let at = 0; at < this.#placesBefore.length; at += 1) before[this.#placesBefore[at]!] = 0;
    this.#placesBefore = places.slice();
    for (let at = 0; at < places.length; at += 1) before[places[at]!] = words[at]!;
    this.#activeBefore = active;
    return figures;
  }
}

interface Times {
  /** The range, widened to whole buckets. */
  readonly whole: AxisScope;
  /** Start of the unit before the first bucket; null if there is none, or nothing can lie in it. */
  readonly beforeMs: number | null;
}

function timesOf(plan: LifecyclePlan): Times {
  const whole = widened(plan, plan.interval);
  const { fromMs } = whole.range;
  const before = whole.isOpen.start || fromMs === 0 ? null : axisOf(cutOf(plan.calendar, plan.interval), fromMs - 1, fromMs, 1);
  return { whole, beforeMs: before?.bounds[0] ?? null };
}

/** New, returning, resurrecting and dormant entities. Cost: cached spans, and a step per word of 32 entities for each unit and the time before. */
export const lifecycle: Report<LifecyclePlan, Lifecycle> = {
  needsCompanies: ({ level }) => level === "account",
  prepare: (plan, context) => {
    const { whole, beforeMs } = timesOf(plan);
    const fromMs = Math.max(0, beforeMs ?? whole.range.fromMs);
    const counted = countedEntitiesOf(plan.level, context);
    /** Entity keys active before the unit before the first bucket. */
    const earlier = entitiesByUnit({ ...plan, range: { fromMs: 0, toMs: fromMs } }, [null], counted);
    /** Entities active from that unit on, by unit. */
    const active = entitiesByUnit({ ...plan, range: { fromMs, toMs: whole.range.toMs } }, [cutOf(plan.calendar, plan.interval)], counted);
    const finish = async (stateOf: StateOf) => {
      const activeByUnit = stateOf(active);
      const slots = slotsOf(whole, plan.interval, extentOf([...activeByUnit.keys()].filter((unitMs) => unitMs !== beforeMs), whole.range));
      const entities = new BitsOfUnits(counted);
      const states = new LifecycleStates(entities.wordCount);
      for (const parts of stateOf(earlier).values()) {
        states.addEarlier(entities.of(parts));
        await context.pause();
      }
      const next = async (unitMs: number) => {
        await context.pause();
        return states.next(entities.of(activeByUnit.get(unitMs) ?? []));
      };
      if (beforeMs !== null) await next(beforeMs);
      const buckets: LifecycleBucket[] = [];
      for (const { unitMs, bucket } of slots) buckets.push({ ...bucket, ...(await next(unitMs)) });
      return { definition: plan.definition, asOf: asOfAnswer(plan, context), buckets };
    };
    return { passes: [earlier, active], finish };
  },
};

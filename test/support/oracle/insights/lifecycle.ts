import type { Lifecycle } from "../../../../src/query/plan/insights/answers.js";
import type { LifecycleInput } from "../../../../src/query/plan/input.js";
import { remembered } from "../remembered.js";
import type { World } from "../world.js";
import { axisOf, isWithin, widened } from "./buckets.js";
import { unitAt } from "./calendar.js";
import { eventsByEntity } from "./entities.js";
import { levelOf, oneOf } from "./one-of.js";
import { queryOf, type Bare } from "./query.js";

export function lifecycle(world: World, input: LifecycleInput): Bare<Lifecycle> {
  const { calendar, range, matching } = queryOf(world, input);
  const interval = oneOf("interval", input.interval, ["day", "week", "month"]);
  const unitStart = remembered((ms: number) => unitAt(calendar, interval, ms).startMs);
  const entities = eventsByEntity(world, matching, levelOf(input)).map((events) => {
    const starts = events.map(({ createdAtMs }) => unitStart(createdAtMs));
    return { firstStartMs: starts[0], starts: new Set(starts) };
  });
  const whole = widened(calendar, interval, range);
  const activeMs = entities.flatMap(({ starts }) => [...starts]).filter((ms) => isWithin(ms, whole));
  const buckets = axisOf(calendar, interval, whole, activeMs, world.rules.nowMs).map(({ fromMs, bucket }) => {
    const startMs = unitStart(fromMs);
    const beforeMs = unitStart(startMs - 1);
    const states = entities.map(({ firstStartMs, starts }) => ({
      isNew: firstStartMs === startMs, isActive: starts.has(startMs), wasActive: starts.has(beforeMs),
    }));
    return {
      ...bucket,
      new: states.filter(({ isNew }) => isNew).length,
      returning: states.filter(({ isActive, wasActive }) => isActive && wasActive).length,
      resurrecting: states.filter(({ isNew, isActive, wasActive }) => isActive && !isNew && !wasActive).length,
      dormant: states.filter(({ isActive, wasActive }) => !isActive && wasActive).length,
    };
  });
  return { buckets };
}

import type { Lifecycle } from "../../../plan/insights/answers.js";
import type { LifecycleInput } from "../../../plan/insights/input.js";
import type { World } from "../world.js";
import { axisOf, isWithin, widened } from "./buckets.js";
import { unitAt, unitBefore } from "./calendar.js";
import { eventsByEntity } from "./entities.js";
import { levelOf, oneOf } from "./one-of.js";
import { questionOf, type Bare } from "./question.js";

export function lifecycle(world: World, input: LifecycleInput): Bare<Lifecycle> {
  const { calendar, range, matching } = questionOf(world, input);
  const interval = oneOf("interval", input.interval, ["day", "week", "month"]);
  const unitStart = (ms: number) => unitAt(calendar, interval, ms).startMs;
  const entities = eventsByEntity(world, matching, levelOf(input)).map((events) => {
    const starts = events.map(({ createdAtMs }) => unitStart(createdAtMs));
    return { firstStartMs: starts[0], starts: new Set(starts) };
  });
  const whole = widened(calendar, interval, range);
  const activeMs = entities.flatMap(({ starts }) => [...starts]).filter((ms) => isWithin(ms, whole));
  const buckets = axisOf(calendar, interval, whole, activeMs, world.rules.nowMs).map(({ fromMs, bucket }) => {
    const unit = unitAt(calendar, interval, fromMs);
    const before = unitBefore(calendar, interval, unit);
    const states = entities.map(({ firstStartMs, starts }) => ({
      isNew: firstStartMs === unit.startMs, isActive: starts.has(unit.startMs), wasActive: starts.has(before.startMs),
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

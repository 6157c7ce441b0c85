import { parameterError } from "../../../../src/core/base/errors.js";
import type { Stickiness } from "../../../../src/query/plan/insights/answers.js";
import type { Interval, StickinessInput } from "../../../../src/query/plan/input.js";
import type { World } from "../world.js";
import { axisOf } from "./buckets.js";
import { unitAt } from "./calendar.js";
import { eventsByEntity } from "./entities.js";
import { averageOf, nearestDouble } from "./exact.js";
import { levelOf, oneOf } from "./one-of.js";
import { queryOf, within, type Bare } from "./query.js";

const BY_LENGTH: readonly Interval[] = ["hour", "day", "week", "month", "quarter", "year", "total"];

export function stickiness(world: World, input: StickinessInput): Bare<Stickiness> {
  const { calendar, range, matching } = queryOf(world, input);
  const interval = oneOf("interval", input.interval, ["total", "week", "month", "quarter", "year"]);
  const unit = oneOf("unit", input.unit, ["day", "hour", "week", "month"]);
  if (BY_LENGTH.indexOf(unit) >= BY_LENGTH.indexOf(interval)) throw parameterError("invalid_parameter", "unit", "expected less than the interval");
  const entities = eventsByEntity(world, within(matching, range), levelOf(input));
  const timesMs = entities.flat().map(({ createdAtMs }) => createdAtMs);
  const buckets = axisOf(calendar, interval, range, timesMs, world.rules.nowMs).map((slot) => {
    const counts = entities
      .map((events) => new Set(within(events, slot).map(({ createdAtMs }) => unitAt(calendar, unit, createdAtMs).startMs)).size)
      .filter((count) => count > 0);
    const average = averageOf(counts.map(BigInt));
    return {
      ...slot.bucket,
      entities: counts.length,
      avg: average === null ? null : nearestDouble(average),
      units: [...new Set(counts)].sort((a, b) => a - b).map((units) => ({
        units,
        entities: counts.filter((count) => count === units).length,
        atLeast: counts.filter((count) => count >= units).length,
      })),
    };
  });
  return { buckets };
}

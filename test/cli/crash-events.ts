import type { EventInput } from "../../src/core/schema/event.js";

/** The event of a number: always the same, over several days, users and values. Writers have ids of their own. */
export function crashEvent(number: number, writer = 0): EventInput {
  return {
    id: writer === 0 ? `crash ${number}` : `crash ${number} of ${writer}`,
    name: number % 3 === 0 ? "purchase" : "pageview",
    userId: `user-${number % 97}`,
    createdAt: Date.UTC(2026, 2, 1 + (number % 5)) + number,
    url: `/page/${number % 211}`,
    metadata: { number, writer, text: `value ${number}` },
  };
}

import type { House, OpenAnswer } from "../routing/route.js";

/** 200 while every organization takes questions and events, else 503 with the worst state. */
export function health({ organizations }: House): OpenAnswer {
  const states = [...organizations.values()].map((daybook) => daybook.health);
  const status = (["closed", "read_only"] as const).find((state) => states.includes(state)) ?? "ok";
  return { status: status === "ok" ? 200 : 503, text: JSON.stringify({ status }) };
}

import type { EventInput } from "daybook";

/** What people come for: articles, projects and talks. */
const read = /^\/(?:articles|projects|presentations|blog\/[a-z]+)\/[^?]*(?:\/|\.html)(?:$|\?)/;

/** A line of the access log as an event of its site, where reading something is worth 1: revenue then counts readings. */
export function withReadings(event: EventInput): EventInput {
  const onSite = { ...event, hostname: "semicomplete.com" };
  return read.test(event.url ?? "") ? { ...onSite, name: "reading", value: 1 } : onSite;
}

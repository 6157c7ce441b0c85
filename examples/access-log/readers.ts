import type { EventInput } from "daybook";

/** URLs of articles, projects and talks. */
const articlePattern = /^\/(?:articles|projects|presentations|blog\/[a-z]+)\/[^?]*(?:\/|\.html)(?:$|\?)/;

/** Adds the site to an event of the access log. Views of articles become `reading` events with a value of 1, so that revenue counts them. */
export function withReadings(event: EventInput): EventInput {
  const onSite = { ...event, hostname: "semicomplete.com" };
  return articlePattern.test(event.url ?? "") ? { ...onSite, name: "reading", value: 1 } : onSite;
}

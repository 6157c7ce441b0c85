import { rankCounts } from "../../answer/ranked-items.js";
import { subjectOf, withEventsOf } from "./identity-events.js";
import type { Study } from "../form/report.js";

/** The referrers of an identity within the window: events per referrer, as stored. */
export const identityReferrers: Study<"identityReferrers"> = {
  kind: "study",
  tables: () => ["timelines"],
  answer: (plan, moment) => {
    const { window, limit } = plan;
    return withEventsOf(subjectOf(plan, moment), moment, null, async ({ identity, identities, timeline, dictionaries, pause }) => {
      const [codes] = await timeline.codes(["referrer"], pause, timeline.firstAt(window.fromMs), timeline.firstAt(window.toMs));
      const { values, counts } = countCodes(codes);
      const dictionary = dictionaries.named("referrer");
      const items = rankCounts(counts, { propertyOf: (place) => dictionary.valueOf(values[place] ?? 0) }, limit);
      return {
        identityId: identities.identityId(identity),
        referrers: items.map(({ property, count }) => ({ referrer: property, count })),
      };
    });
  },
};

/** Distinct codes except 0, and the count of each. */
function countCodes(codes: Uint32Array): { values: number[]; counts: Uint32Array } {
  const countOf = new Map<number, number>();
  for (const code of codes) if (code !== 0) countOf.set(code, (countOf.get(code) ?? 0) + 1);
  return { values: [...countOf.keys()], counts: Uint32Array.from(countOf.values()) };
}

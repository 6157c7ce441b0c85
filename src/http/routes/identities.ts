import { PEOPLE } from "../access/query-rights.js";
import { reportAnswers as answers } from "../shapes/report-answers.js";
import { identityInput, numberOf, reportQueries as queries } from "../shapes/report-query.js";
import { report } from "./report-route.js";
import type { Route } from "../routing/route.js";

/** Reports about one person. */
export const identityRoutes: readonly Route[] = [
  report(
    PEOPLE,
    "/v1/identities/sessions",
    "Lists the sessions of a person, newest first",
    queries.sessions,
    answers.sessions,
    async ({ daybook }, { query, signal }) =>
      await daybook.identitySessions(
        { ...identityInput(query), limit: numberOf(query.limit), cursor: query.cursor ?? null },
        { signal },
      ),
  ),
  report(
    PEOPLE,
    "/v1/identities/profile",
    "Summarizes what a person did",
    queries.identity,
    answers.profile,
    async ({ daybook }, { query, signal }) => await daybook.identityProfile(identityInput(query), { signal }),
  ),
  report(
    PEOPLE,
    "/v1/identities/referrers",
    "Counts the referrers of a person's events",
    queries.referrers,
    answers.referrers,
    async ({ daybook }, { query, signal }) =>
      await daybook.identityReferrers({ ...identityInput(query), limit: numberOf(query.limit) }, { signal }),
  ),
  report(
    PEOPLE,
    "/v1/identities/device-geo",
    "Shows the devices and locations of a person",
    queries.identity,
    answers.deviceGeo,
    async ({ daybook }, { query, signal }) => await daybook.identityDeviceGeo(identityInput(query), { signal }),
  ),
];

import type { ScopedDaybook } from "daybook";

const is = (fieldName: string) => [{ filters: [{ fieldName, operator: "is_set" as const }] }];

/** What a scope that lists neither queries nor fields refuses, and how. */
export const fieldMessages: readonly (readonly [ask: (scoped: ScopedDaybook) => Promise<unknown>, message: string])[] = [
  [(scoped) => scoped.searchEvents(), "queries: the scope does not allow searchEvents"],
  [(scoped) => scoped.identityProfile({ userId: "ann" }), "queries: the scope does not allow identityProfile"],
  [(scoped) => scoped.revenueByAttribution({ project: "default" }), "queries: the scope does not allow revenueByAttribution"],
  [(scoped) => scoped.topCompanies(), "queries: the scope does not allow topCompanies"],
  [(scoped) => scoped.explain("companyTopUsers", { companyId: "acme" }), "queries: the scope does not allow companyTopUsers"],
  [(scoped) => scoped.countEvents({ userId: "ann" }), 'userId: the scope does not list the field "user_id"'],
  [(scoped) => scoped.aggregate({ field: "user_id" }), 'field: the scope does not list the field "user_id"'],
  [(scoped) => scoped.aggregate({ field: "id" }), 'field: the scope does not list the field "id"'],
  [(scoped) => scoped.aggregate({ field: "externalId" }), 'field: the scope does not list the field "externalId"'],
  [(scoped) => scoped.aggregate({ metadataField: "plan" }), 'metadataField: the scope does not list the field "plan"'],
  [(scoped) => scoped.trend({ breakdown: { fields: ["device", "anonymous_id"] } }), 'breakdown.fields[1]: the scope does not list the field "anonymous_id"'],
  [(scoped) => scoped.trend({ measure: { type: "sum", field: "seats" } }), 'measure.field: the scope does not list the field "seats"'],
  [(scoped) => scoped.trend({ filterGroups: is("identity_id") }), 'filterGroups[0].filters[0].fieldName: the scope does not list the field "identity_id"'],
  [(scoped) => scoped.trend({ filterGroups: is("person.email") }), 'filterGroups[0].filters[0].fieldName: the scope does not list the field "person.email"'],
  [(scoped) => scoped.paths({ node: "company.name" }), 'node: the scope does not list the field "company.name"'],
  [
    (scoped) => scoped.funnel({ steps: [{ eventName: "a" }, { filterGroups: is("first_touch.source") }] }),
    'steps[1].filterGroups[0].filters[0].fieldName: the scope does not list the field "first_touch.source"',
  ],
  [
    (scoped) => scoped.retention({ returnEvent: { filterGroups: is("plan") } }),
    'returnEvent.filterGroups[0].filters[0].fieldName: the scope does not list the field "plan"',
  ],
  [(scoped) => scoped.trend({ asOf: 3 }), "asOf: a scope allows no asOf"],
];

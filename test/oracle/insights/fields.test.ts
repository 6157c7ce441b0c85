import { expect, test } from "vitest";
import { ask, event, group, identify } from "./made.js";
import type { HistoryItem } from "../../support/index.js";

const by = (history: readonly HistoryItem[], field: string) => {
  const { series } = ask(history).trend({ interval: "total", breakdown: { fields: [field] } });
  return series.map(({ values, total }) => [...values, total]);
};

test("A trait is the newest of all a person's ids, null and empty ones too, whenever the event was.", () => {
  const history = [
    event("2026-03-01T00:00Z"), event("2026-03-02T00:00Z", { userId: null, anonymousId: "d1" }), event("2026-03-03T00:00Z", { userId: null }),
    identify("2026-03-05T00:00Z", { traits: { plan: "pro", seats: 3, address: { city: "Ulm" } } }),
    identify("2026-03-04T00:00Z", { traits: { plan: "free", gone: "x" } }), identify("2026-03-06T00:00Z", { anonymousId: "d1", traits: { gone: null } }),
  ];
  expect(by(history, "person.plan")).toEqual([["pro", 2], ["", 1]]);
  expect(by(history, "person.seats")).toEqual([["3", 2], ["", 1]]);
  expect(by(history, "person.address.city")).toEqual([["Ulm", 2], ["", 1]]);
  expect(by(history, "person.gone")).toEqual([["", 3]]);
  expect(by(history, "metadata.person.plan")).toEqual([["", 3]]);
});

test("Of equal times the greater canonical JSON is taken; what was taken back is not known.", () => {
  const at = (traits: object) => identify("2026-03-05T00:00Z", { traits });
  const takenId = "00000000-0000-4000-9000-000000000000";
  const taken: HistoryItem = { identify: { id: takenId, userId: "ann", createdAt: "2026-04-01T00:00:00Z", traits: { plan: "z" } } };
  expect(by([event("2026-03-01T00:00Z"), at({ plan: 9 }), at({ plan: "b" }), at({ plan: "a" })], "person.plan")).toEqual([["9", 1]]);
  expect(by([event("2026-03-01T00:00Z"), at({ plan: "a" }), taken], "person.plan")).toEqual([["z", 1]]);
  expect(by([event("2026-03-01T00:00Z"), at({ plan: "a" }), taken, { unlink: takenId }], "person.plan")).toEqual([["a", 1]]);
});

test("The email is the newest, as emails are compared.", () => {
  const history = [event("2026-03-01T00:00Z"), identify("2026-03-05T00:00Z", { email: " Ann@X.io " }), identify("2026-03-04T00:00Z", { email: "old@x.io" }), identify("2026-03-06T00:00Z", { traits: { plan: "a" } })];
  expect(by(history, "person.email")).toEqual([["ann@x.io", 1]]);
  expect(by(history.slice(0, 1), "person.email")).toEqual([["", 1]]);
});

test("Company traits are those of the company that the event belongs to.", () => {
  const history = [
    event("2026-03-01T00:00Z"), event("2026-03-02T00:00Z", { companyId: "beta" }), event("2026-03-03T00:00Z", { userId: "bob" }),
    group("2026-01-01T00:00Z", "acme", { traits: { plan: "small" } }), group("2026-02-01T00:00Z", "acme", { userId: "carl", traits: { plan: "big" } }), group("2026-02-01T00:00Z", "beta", { userId: "carl", traits: { plan: "mid" } }),
  ];
  expect(by(history, "company.plan")).toEqual([["", 1], ["big", 1], ["mid", 1]]);
});

test("Touches are labelled as a payment in the event would be; a refund has that of its order.", () => {
  const history = [
    event("2026-03-01T00:00Z"), event("2026-03-02T00:00Z", { url: "/?utm_source=news" }), event("2026-03-03T00:00Z", { name: "Payment", value: 5, externalId: "o" }),
    event("2026-03-04T00:00Z", { url: "/?utm_source=late&utm_medium=mail" }), event("2026-03-05T00:00Z", { name: "Refund", value: 5, externalId: "o" }), event("2026-03-06T00:00Z", { userId: null }),
  ];
  expect(by(history, "first_touch.source")).toEqual([["news", 4], ["(direct)", 2]]);
  expect(by(history, "last_touch.source")).toEqual([["news", 3], ["(direct)", 2], ["late", 1]]);
  expect(by(history, "last_touch.medium")).toEqual([["(not set)", 3], ["(none)", 2], ["mail", 1]]);
  expect(by(history, "last_touch.campaign")).toEqual([["(not set)", 4], ["(none)", 2]]);
});

test("Filters take these fields, in the old queries too; broken names are refused.", () => {
  const history = [event("2026-03-01T00:00Z", { metadata: { "person.plan": "x" } }), event("2026-03-02T00:00Z", { userId: "bob" }), identify("2026-03-05T00:00Z", { traits: { plan: "pro" } })];
  const count = (fieldName: string, value: string) => ask(history).countEvents({ filterGroups: [{ filters: [{ fieldName, operator: "=", value }] }] });
  expect([count("person.plan", "pro"), count("person.plan", "x"), count("metadata.person.plan", "x"), count("first_touch.source", "(direct)"), count("person", "x")]).toEqual([1, 0, 1, 2, 0]);
  for (const field of ["person.", "company.", "first_touch.term", "last_touch."]) expect(() => count(field, "x")).toThrow();
});

import { expect, test } from "vitest";
import type { TokenAnswer } from "../../src/page/api/answers.js";
import { canOpen } from "../../src/page/api/rights.js";
import { VIEW_NAMES } from "../../src/page/state/view-state.js";

const token = (more: Partial<TokenAnswer>): TokenAnswer => ({ organization: "default", project: null, role: "owner", scopes: ["*"], ...more });
const viewsOf = (more: Partial<TokenAnswer>) => VIEW_NAMES.filter((view) => canOpen(token(more), view));
const FIGURES = ["overview", "trends", "funnels", "retention", "paths"];

test("a token opens the views whose routes take it, by its scopes, its role and its project", () => {
  expect(viewsOf({})).toEqual(VIEW_NAMES);
  expect(viewsOf({ role: "admin" })).toEqual(VIEW_NAMES);
  expect(viewsOf({ role: "member" })).toEqual([...FIGURES, "events", "privacy", "store"]);
  expect(viewsOf({ project: "shop" })).toEqual([...FIGURES, "events"]);
  expect(viewsOf({ scopes: ["analytics:read"] })).toEqual(FIGURES);
  expect(viewsOf({ scopes: ["analytics:read", "revenue:read"] })).toEqual([...FIGURES, "revenue"]);
  expect(viewsOf({ scopes: ["events:read", "metrics:read"] })).toEqual(["events", "store"]);
  expect(viewsOf({ scopes: ["events:write"] })).toEqual([]);
});

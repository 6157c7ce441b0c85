import type { ViewName } from "../state/view-state.js";
import type { TokenAnswer } from "./answers.js";

export function hasScope({ scopes }: TokenAnswer, scope: string): boolean {
  return scopes.includes("*") || scopes.includes(scope);
}

/** Reports about people, revenue and companies require an admin of all projects. */
export function canRead(token: TokenAnswer, scope: "identities:read" | "revenue:read" | "companies:read"): boolean {
  return hasScope(token, scope) && (token.role === "owner" || token.role === "admin") && token.project === null;
}

const VIEW_RIGHTS: Readonly<Partial<Record<ViewName, (token: TokenAnswer) => boolean>>> = {
  events: (token) => hasScope(token, "events:read"),
  people: (token) => canRead(token, "identities:read"),
  companies: (token) => canRead(token, "companies:read"),
  revenue: (token) => canRead(token, "revenue:read"),
  privacy: (token) => token.project === null && hasScope(token, "privacy_requests:read"),
  store: (token) => token.project === null && hasScope(token, "metrics:read"),
};

export function canOpen(token: TokenAnswer, view: ViewName): boolean {
  return VIEW_RIGHTS[view]?.(token) ?? hasScope(token, "analytics:read");
}

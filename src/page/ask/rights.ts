import type { ViewName } from "../state/choices.js";
import type { TokenAnswer } from "./answers.js";

/** Whether a token has a scope. */
export function hasScope({ scopes }: TokenAnswer, scope: string): boolean {
  return scopes.includes("*") || scopes.includes(scope);
}

/** Required, in addition to a scope, by reports about people, revenue and companies. */
function isAdminOfAll({ role, project }: TokenAnswer): boolean {
  return (role === "owner" || role === "admin") && project === null;
}

/** Whether a token may read reports about people, revenue or companies. */
export function canRead(token: TokenAnswer, scope: "identities:read" | "revenue:read" | "companies:read"): boolean {
  return hasScope(token, scope) && isAdminOfAll(token);
}

/** Whether a token may run the queries of a view. */
export function canOpen(token: TokenAnswer, view: ViewName): boolean {
  const hasAllProjects = token.project === null;
  switch (view) {
    case "events":
      return hasScope(token, "events:read");
    case "people":
      return canRead(token, "identities:read");
    case "companies":
      return canRead(token, "companies:read");
    case "revenue":
      return canRead(token, "revenue:read");
    case "privacy":
      return hasAllProjects && hasScope(token, "privacy_requests:read");
    case "store":
      return hasAllProjects && hasScope(token, "metrics:read");
    default:
      return hasScope(token, "analytics:read");
  }
}

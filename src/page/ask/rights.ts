import type { ViewName } from "../state/choices.js";
import type { TokenAnswer } from "./answers.js";

/** Whether a token has a scope. */
export function hasScope({ scopes }: TokenAnswer, scope: string): boolean {
  return scopes.includes("*") || scopes.includes(scope);
}

/** What reports about people, money and companies require besides their scope. */
function isTrusted({ role, project }: TokenAnswer): boolean {
  return (role === "owner" || role === "admin") && project === null;
}

/** Whether a token may read people, money or companies. */
export function seesOthers(token: TokenAnswer, scope: "identities:read" | "revenue:read" | "companies:read"): boolean {
  return hasScope(token, scope) && isTrusted(token);
}

/** Whether a token may run the queries of a view. */
export function opens(token: TokenAnswer, view: ViewName): boolean {
  const ofAll = token.project === null;
  switch (view) {
    case "events":
      return hasScope(token, "events:read");
    case "people":
      return seesOthers(token, "identities:read");
    case "companies":
      return seesOthers(token, "companies:read");
    case "revenue":
      return seesOthers(token, "revenue:read");
    case "privacy":
      return ofAll && hasScope(token, "privacy_requests:read");
    case "store":
      return ofAll && hasScope(token, "metrics:read");
    default:
      return hasScope(token, "analytics:read");
  }
}

import { z } from "zod";
import { isoOf } from "../../core/base/time.js";
import { expiryOfScopeToken } from "../../engine/tokens/scope-token.js";
import type { SignScopeOptions } from "../../engine/tokens/scope-tokens.js";
import type { Scope } from "../../query/plan/scope.js";
import { requireMember } from "../access/rights.js";
import { guarded, objectBody, type Route } from "../routing/route.js";
import { signScopeBody } from "../shapes/filters.js";
import { libraryInput } from "./run-query.js";

export const scopeRoutes: readonly Route[] = [
  guarded({
    method: "POST",
    path: "/v1/scopes/sign",
    summary: "Signs a scope as a token that opens the query routes, limited to the scope",
    // A signed token may open whatever its scope lists, so only a token signs that may read everything.
    access: { scope: "*", role: "admin", organizationWide: true },
    body: objectBody(signScopeBody),
    answer: z.strictObject({ token: z.string(), expires_at: z.string().meta({ description: "ISO 8601 with milliseconds, UTC." }) }),
    handle: async ({ daybook, token: { organization } }, { body }) => {
      // `signScope` checks that this is a scope.
      const { scope, ...options } = libraryInput(signScopeBody, body) as SignScopeOptions & { readonly scope: Scope };
      const token = await requireMember(daybook, "signScope").signScope(scope, { ...options, organization });
      return { token, expires_at: isoOf(expiryOfScopeToken(token)) };
    },
  }),
];

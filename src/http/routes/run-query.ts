import { z } from "zod";
import { DaybookError } from "../../core/base/errors.js";
import type { Explanation } from "../../engine/query/explain.js";
import type { AuthorizedDaybook } from "../../engine/queries.js";
import { AUTHORIZE, type Authorization } from "../../engine/query/authorization.js";
import type { ReportName } from "../../query/queries.js";
import { SealedSequences, unknownSequence } from "../access/sealed-sequences.js";
import { authorizeQuery, mayQueryAll, requireMember, type QueryCaller } from "../access/rights.js";
import type { RouteRequest } from "../routing/route.js";
import { unwrap } from "../shapes/check-shape.js";
import { camelCase } from "../wire/wire-names.js";

type QueryCallbacks = Pick<RouteRequest<unknown, unknown>, "signal" | "onNotice">;

/**
 * Runs a query of the library, if the caller's token may read all data that the query uses.
 * @param input any JSON: the library checks it
 * @throws what the query throws; insufficient_scope, insufficient_role, organization_token_required
 */
export async function runQuery(name: ReportName, input: object, caller: QueryCaller, { signal, onNotice }: QueryCallbacks): Promise<unknown> {
  const { daybook, token } = caller;
  const queries: Pick<AuthorizedDaybook, ReportName> = daybook;
  const run = (ownInput: object) => withAuthorization(ownInput, caller, (authorization) => queries[name](ownInput as never, { signal, onNotice, ...authorization }));
  if (token.project === null) return await run(input);
  const sequences = new SealedSequences(daybook, token.project);
  const ownInput = sequences.openInput(input);
  try {
    return sequences.sealAnswer(await run(ownInput));
  } catch (thrown) {
    const isAboutSequence = ownInput !== input && thrown instanceof DaybookError && thrown.details.param === "asOf";
    throw isAboutSequence ? unknownSequence() : thrown;
  }
}

/** Explains a query, under the same rights as `runQuery`. @throws not_supported, and what `runQuery` throws */
export async function explainQuery(name: ReportName, input: object, caller: QueryCaller): Promise<Explanation> {
  const queries: AuthorizedDaybook = requireMember(caller.daybook, "explain");
  return await withAuthorization(input, caller, (authorization) => queries.explain(name, input, authorization));
}

/** Runs a query with a check of the token's rights, unless it may read everything, or a scope decides. @throws internal (the check was skipped) */
export async function withAuthorization<Answer>(
  input: object,
  { token, isScoped }: QueryCaller,
  run: (authorization: Authorization) => Promise<Answer>,
): Promise<Answer> {
  if (isScoped || mayQueryAll(token)) return await run({});
  let isAuthorized = false;
  const answer = await run({
    [AUTHORIZE]: (plan) => {
      authorizeQuery(plan, input, token);
      isAuthorized = true;
    },
  });
  // A wrapper that does not pass on all options would skip the check.
  if (isAuthorized) return answer;
  throw new DaybookError(
    "internal",
    "a Daybook answered without checking the rights of the query: a wrapper must pass on all options of a query",
  );
}

/**
 * Converts a body that passed its schema to input of the library: members in camelCase, at every level that the schema describes.
 * Names that callers chose, and values that the schema does not describe, stay unchanged.
 */
export function libraryInput(schema: z.ZodType, body: unknown): unknown {
  const kind = unwrap(schema);
  if (kind instanceof z.ZodArray) return Array.isArray(body) ? body.map((item) => libraryInput(kind.element as z.ZodType, item)) : body;
  if (typeof body !== "object" || body === null) return body;
  if (kind instanceof z.ZodRecord) return membersOf(body, (name, value) => [name, libraryInput(kind.valueType as z.ZodType, value)]);
  if (!(kind instanceof z.ZodObject)) return body;
  const shape = new Map(Object.entries(kind.shape as Readonly<Record<string, z.ZodType>>));
  return membersOf(body, (name, value) => {
    const member = shape.get(name);
    // A body may have unknown members if they are null, which counts as absent.
    return member === undefined ? null : [camelCase(name), libraryInput(member, value)];
  });
}

function membersOf(body: object, member: (name: string, value: unknown) => readonly [string, unknown] | null): object {
  return Object.fromEntries(Object.entries(body).flatMap(([name, value]) => [member(name, value)].filter((entry) => entry !== null)));
}

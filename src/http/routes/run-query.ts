import { DaybookError } from "../../core/base/errors.js";
import type { Explanation } from "../../engine/query/explain.js";
import { PERMIT, type Permitted, type PermittingDaybook, type PermittingQueries } from "../../engine/query/permit.js";
import type { ReportName } from "../../query/plan/plan.js";
import { SealedSequences, unknownSequence } from "../access/sealed-sequences.js";
import { authorizeQuery, mayQueryAll, requireMember } from "../access/query-rights.js";
import type { TokenRecord } from "../access/token.js";
import { guarded, type Caller, type RouteRequest, type GuardedRoute } from "../routing/route.js";
import type { z } from "zod";
import type { RequiredAccess } from "../access/access.js";
import { wireNames } from "../wire/wire-names.js";

type RequestListeners = Pick<RouteRequest<unknown, unknown>, "signal" | "onNotice">;

/**
 * Runs a query of the library, if the caller's token may read everything that the query uses.
 * @param input any JSON: the library checks it
 * @throws what the query throws; insufficient_scope, insufficient_role, organization_token_required
 */
export async function runQuery(name: ReportName, input: object, { daybook, token }: Caller, { signal, onNotice }: RequestListeners): Promise<unknown> {
  const asked: PermittingQueries = daybook;
  const put = (own: object) => permitted(own, token, (permit) => asked[name](own as never, { signal, onNotice, ...permit }));
  if (token.project === null) return await put(input);
  const sequences = new SealedSequences(daybook, token.project);
  const own = sequences.openedInput(input);
  try {
    return sequences.sealedAnswer(await put(own));
  } catch (thrown) {
    const isOfSequence = own !== input && thrown instanceof DaybookError && thrown.details.param === "asOf";
    throw isOfSequence ? unknownSequence() : thrown;
  }
}

/** The same for an explanation. */
export async function explainQuery(name: ReportName, input: object, { daybook, token }: Caller): Promise<Explanation> {
  const asked: PermittingDaybook = requireMember(daybook, "explain");
  return await permitted(input, token, (permit) => asked.explain(name, input, permit));
}

async function permitted<Answer>(input: object, token: TokenRecord, put: (permit: Permitted) => Promise<Answer>): Promise<Answer> {
  if (mayQueryAll(token)) return await put({});
  let isPermitted = false;
  const answer = await put({
    [PERMIT]: (plan) => {
      authorizeQuery(plan, input, token);
      isPermitted = true;
    },
  });
  // A wrapped Daybook that does not pass on all options would skip the check.
  if (!isPermitted) throw new DaybookError("internal", "a Daybook answered without checking the rights of the query: a wrapper must pass on all options of a query");
  return answer;
}

/** A GET route for a report about people or money. */
export function report<Query extends z.ZodObject>(
  access: RequiredAccess,
  path: string,
  summary: string,
  query: Query,
  answer: z.ZodType,
  ask: (caller: Caller, request: RouteRequest<unknown, z.infer<Query>>) => Promise<object>,
): GuardedRoute {
  return guarded({
    method: "GET",
    path,
    summary,
    envelope: "problem",
    access,
    query,
    body: null,
    answer,
    etag: true,
    handle: async (caller, request) => wireNames(await ask(caller, request)),
  });
}

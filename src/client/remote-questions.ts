import { checkQueryOptions } from "../base/call-options.js";
import { parameterError, shown } from "../base/errors.js";
import type { KnownOptions } from "../base/known-options.js";
import { tellEach } from "../base/tell.js";
import type { Daybook } from "../engine/daybook.js";
import type { Explanation } from "../engine/question/explain.js";
import type { QueryOptions } from "../engine/question/query-options.js";
import type { QuestionNotice } from "../engine/question/notices.js";
import type { ReportName } from "../plan/plan.js";
import type { Calls } from "./calls.js";
import { questionOf } from "./question-of.js";
import { jsonText } from "./json-text.js";

type Input<K extends ReportName> = Parameters<Daybook[K]>[0];
type Answer<K extends ReportName> = ReturnType<Daybook[K]>;

const KNOWN: KnownOptions<QueryOptions> = { signal: true, onNotice: true };

/** Every question of a Daybook as a method: the input goes as it is, and the answer comes as it is. */
export class RemoteQuestions implements Pick<Daybook, ReportName | "explain"> {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  countEvents(input?: Input<"countEvents">, options?: QueryOptions): Answer<"countEvents"> {
    return this.#ask("countEvents", input, options);
  }

  countEventsPerDay(input?: Input<"countEventsPerDay">, options?: QueryOptions): Answer<"countEventsPerDay"> {
    return this.#ask("countEventsPerDay", input, options);
  }

  countEventsRunningTotalPerDay(input?: Input<"countEventsRunningTotalPerDay">, options?: QueryOptions): Answer<"countEventsRunningTotalPerDay"> {
    return this.#ask("countEventsRunningTotalPerDay", input, options);
  }

  countUniqueUsers(input?: Input<"countUniqueUsers">, options?: QueryOptions): Answer<"countUniqueUsers"> {
    return this.#ask("countUniqueUsers", input, options);
  }

  countUniqueUsersPerDay(input?: Input<"countUniqueUsersPerDay">, options?: QueryOptions): Answer<"countUniqueUsersPerDay"> {
    return this.#ask("countUniqueUsersPerDay", input, options);
  }

  aggregate(input: Input<"aggregate">, options?: QueryOptions): Answer<"aggregate"> {
    return this.#ask("aggregate", input, options);
  }

  searchEvents(input?: Input<"searchEvents">, options?: QueryOptions): Answer<"searchEvents"> {
    return this.#ask("searchEvents", input, options);
  }

  identitySessions(input: Input<"identitySessions">, options?: QueryOptions): Answer<"identitySessions"> {
    return this.#ask("identitySessions", input, options);
  }

  identityProfile(input: Input<"identityProfile">, options?: QueryOptions): Answer<"identityProfile"> {
    return this.#ask("identityProfile", input, options);
  }

  identityReferrers(input: Input<"identityReferrers">, options?: QueryOptions): Answer<"identityReferrers"> {
    return this.#ask("identityReferrers", input, options);
  }

  identityDeviceGeo(input: Input<"identityDeviceGeo">, options?: QueryOptions): Answer<"identityDeviceGeo"> {
    return this.#ask("identityDeviceGeo", input, options);
  }

  revenueByAttribution(input: Input<"revenueByAttribution">, options?: QueryOptions): Answer<"revenueByAttribution"> {
    return this.#ask("revenueByAttribution", input, options);
  }

  ltvCohorts(input: Input<"ltvCohorts">, options?: QueryOptions): Answer<"ltvCohorts"> {
    return this.#ask("ltvCohorts", input, options);
  }

  topCompanies(input?: Input<"topCompanies">, options?: QueryOptions): Answer<"topCompanies"> {
    return this.#ask("topCompanies", input, options);
  }

  companyTopUsers(input: Input<"companyTopUsers">, options?: QueryOptions): Answer<"companyTopUsers"> {
    return this.#ask("companyTopUsers", input, options);
  }

  trend(input?: Input<"trend">, options?: QueryOptions): Answer<"trend"> {
    return this.#ask("trend", input, options);
  }

  funnel(input: Input<"funnel">, options?: QueryOptions): Answer<"funnel"> {
    return this.#ask("funnel", input, options);
  }

  retention(input?: Input<"retention">, options?: QueryOptions): Answer<"retention"> {
    return this.#ask("retention", input, options);
  }

  lifecycle(input?: Input<"lifecycle">, options?: QueryOptions): Answer<"lifecycle"> {
    return this.#ask("lifecycle", input, options);
  }

  stickiness(input?: Input<"stickiness">, options?: QueryOptions): Answer<"stickiness"> {
    return this.#ask("stickiness", input, options);
  }

  paths(input?: Input<"paths">, options?: QueryOptions): Answer<"paths"> {
    return this.#ask("paths", input, options);
  }

  sessionsOverview(input?: Input<"sessionsOverview">, options?: QueryOptions): Answer<"sessionsOverview"> {
    return this.#ask("sessionsOverview", input, options);
  }

  webOverview(input?: Input<"webOverview">, options?: QueryOptions): Answer<"webOverview"> {
    return this.#ask("webOverview", input, options);
  }

  async explain(report: ReportName, input?: object): Promise<Explanation> {
    return (await this.#answer(report, "?explain=true", input)) as Explanation;
  }

  // The answer to a question is what its method says.
  #ask<K extends ReportName>(report: K, input: unknown, options: QueryOptions | undefined): Answer<K> {
    return this.#answer(report, "", input, options) as Answer<K>;
  }

  async #answer(report: ReportName, query: string, input: unknown, options?: QueryOptions): Promise<unknown> {
    if (typeof report !== "string" || !/^\w+$/.test(report)) throw parameterError("invalid_parameter", "report", `expected the name of a question, got ${shown(report)}`);
    checkQueryOptions(options, KNOWN);
    const body = jsonText(questionOf(input), false);
    const call = { method: "POST", path: `/v1/questions/${report}${query}`, body, again: "always", signal: options?.signal } as const;
    const { answer, notices } = (await this.#calls.json(call)) as Answered;
    if (options?.onNotice !== undefined && notices !== undefined) tellEach(options.onNotice, notices);
    return answer;
  }
}

/** What the server answers to a question. */
interface Answered {
  readonly answer: unknown;
  /** Absent where nothing was noticed. */
  readonly notices?: readonly QuestionNotice[];
}

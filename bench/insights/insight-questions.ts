import type { Question } from "../question.js";
import { funnelQuestions } from "./funnel-questions.js";
import { returnQuestions } from "./return-questions.js";
import { trendQuestions } from "./trend-questions.js";
import { visitQuestions } from "./visit-questions.js";
import { webQuestions } from "./web-questions.js";

/** What product teams ask: figures over time, funnels, who comes again, visits. */
export const insightQuestions: readonly Question[] = [...trendQuestions, ...funnelQuestions, ...returnQuestions, ...visitQuestions, ...webQuestions];

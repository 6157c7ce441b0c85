import { companyQuestions } from "./company-questions.js";
import { eventQuestions } from "./event-questions.js";
import { identityQuestions } from "./identity-questions.js";
import { insightQuestions } from "./insights/insight-questions.js";
import { moneyQuestions } from "./money-questions.js";
import type { Question } from "./question.js";

/** While the store lives, Daybook should be so many times as fast as the fastest peer, at 10 million events. */
export const LIVE_RATIO_BAR = 3;
/** The first question of a process should take no longer. */
export const FIRST_BAR_MS = 500;

export const questions: readonly Question[] = [...eventQuestions, ...identityQuestions, ...moneyQuestions, ...companyQuestions, ...insightQuestions];

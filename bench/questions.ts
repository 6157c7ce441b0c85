import { companyQuestions } from "./company-questions.js";
import { eventQuestions } from "./event-questions.js";
import { identityQuestions } from "./identity-questions.js";
import { moneyQuestions } from "./money-questions.js";
import type { Question } from "./question.js";

/** Daybook should be so many times as fast as the fastest peer. */
export const RATIO_BAR = 10;

export const questions: readonly Question[] = [...eventQuestions, ...identityQuestions, ...moneyQuestions, ...companyQuestions];

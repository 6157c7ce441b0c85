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

/** @throws where there is none of the name */
export function questionNamed(name: string): Question {
  const question = questions.find((known) => known.name === name);
  if (question === undefined) throw new Error(`expected the name of a query, got ${name}`);
  return question;
}

export const questions: readonly Question[] = [...eventQuestions, ...identityQuestions, ...moneyQuestions, ...companyQuestions, ...insightQuestions];

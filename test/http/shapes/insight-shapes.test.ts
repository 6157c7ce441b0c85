import { expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { Daybook } from "daybook";
import { insightAnswers, type insightBodies } from "../../../src/http/shapes/insights.js";
import type { InsightInputs, InsightName } from "../../support/random/insight-queries.js";
import { REPORT_ANSWERS } from "../report-answers.js";
import { wireText } from "../wire-names.js";

type SnakeName<Name extends string> = Name extends `${infer Letter}${infer Rest}` ? `${Letter extends Lowercase<Letter> ? Letter : `_${Lowercase<Letter>}`}${SnakeName<Rest>}` : "";

/** A type of the library in the names of the wire, at every level. */
type Wire<T> = T extends readonly (infer Item)[] ? Wire<Item>[] : T extends object ? { -readonly [Name in keyof T & string as SnakeName<Name>]: Wire<T[Name]> } : T;

type Answer<Name extends InsightName> = Wire<Awaited<ReturnType<Daybook[Name]>>>;
type Shape<Name extends InsightName> = z.infer<(typeof insightAnswers)[Name]>;
type Body<Name extends InsightName> = z.infer<(typeof insightBodies)[Name]>;
/** The members of a body: those of the library, but the project, which the path names. */
type Members<Name extends InsightName> = SnakeName<Exclude<keyof InsightInputs[Name] & string, "project">>;

it("The shapes of answers are the types of the library's answers, in the names of the wire.", () => {
  expectTypeOf<Shape<"trend">>().toEqualTypeOf<Answer<"trend">>();
  expectTypeOf<Shape<"funnel">>().toEqualTypeOf<Answer<"funnel">>();
  expectTypeOf<Shape<"retention">>().toEqualTypeOf<Answer<"retention">>();
  expectTypeOf<Shape<"lifecycle">>().toEqualTypeOf<Answer<"lifecycle">>();
  expectTypeOf<Shape<"stickiness">>().toEqualTypeOf<Answer<"stickiness">>();
  expectTypeOf<Shape<"paths">>().toEqualTypeOf<Answer<"paths">>();
  expectTypeOf<Shape<"sessionsOverview">>().toEqualTypeOf<Answer<"sessionsOverview">>();
  expectTypeOf<Shape<"webOverview">>().toEqualTypeOf<Answer<"webOverview">>();
});

it("Bodies have the members of the library's inputs, in the names of the wire.", () => {
  expectTypeOf<keyof Body<"trend">>().toEqualTypeOf<Members<"trend">>();
  expectTypeOf<keyof Body<"funnel">>().toEqualTypeOf<Members<"funnel">>();
  expectTypeOf<keyof Body<"retention">>().toEqualTypeOf<Members<"retention">>();
  expectTypeOf<keyof Body<"lifecycle">>().toEqualTypeOf<Members<"lifecycle">>();
  expectTypeOf<keyof Body<"stickiness">>().toEqualTypeOf<Members<"stickiness">>();
  expectTypeOf<keyof Body<"paths">>().toEqualTypeOf<Members<"paths">>();
  expectTypeOf<keyof Body<"sessionsOverview">>().toEqualTypeOf<Members<"sessionsOverview">>();
  expectTypeOf<keyof Body<"webOverview">>().toEqualTypeOf<Members<"webOverview">>();
});

const names = Object.keys(insightAnswers) as InsightName[];

it.each(names)("The shape of %s takes an answer with all its members, and none without one of them, or with one more.", (name) => {
  const schema: z.ZodType = insightAnswers[name];
  const whole = JSON.parse(wireText(REPORT_ANSWERS[name])) as Record<string, unknown>;
  expect(schema.safeParse(whole).error).toBeUndefined();
  expect(schema.safeParse({ ...whole, more: 1 }).success).toBe(false);
  for (const member of Object.keys(whole)) {
    const { [member]: _left, ...rest } = whole;
    expect([member, schema.safeParse(rest).success]).toEqual([member, false]);
  }
});

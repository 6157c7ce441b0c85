import { z } from "zod";

const text = z.string().nullish();
const id = z.union([z.string(), z.number()]);
const traits = z.record(z.string(), z.unknown()).nullish();
const moment = {
  id: text.meta({ description: "A UUID; any other string is hashed to one; absent: one is assigned." }),
  createdAt: z.union([z.string(), z.number()]).nullish().meta({ description: "RFC 3339 with a zone, or epoch milliseconds from 1973 on; absent: now." }),
};
const who = { userId: id.nullish(), anonymousId: id.nullish() };

/** One record of `POST /v1/records`, for the OpenAPI document; like an event, it is checked when it is stored. */
export const recordSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("identify"), ...moment, ...who, email: text, traits }),
  z.strictObject({ type: z.literal("group"), ...moment, companyId: id, ...who, traits }),
  z.strictObject({ type: z.literal("alias"), ...moment, from: id, to: id }),
  z.strictObject({ type: z.literal("unlink"), ...moment, linkId: z.string().meta({ description: "The id of the record to undo." }) }),
  z.strictObject({ type: z.literal("project"), name: z.string() }),
]);

/** Body of `POST /v1/records`. */
export const recordsBody = z.strictObject({
  records: z.array(z.unknown().meta({ $ref: "#/components/schemas/Record" })),
});

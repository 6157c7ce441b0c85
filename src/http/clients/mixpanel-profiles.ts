import { z } from "zod";
import { checkShape } from "../shapes/check-shape.js";
import { id, object } from "../tracking/call.js";
import { idOf, isObject, objectOf } from "../tracking/members.js";
import type { JsonObject } from "../tracking/members.js";
import type { Told } from "../tracking/store-entries.js";
import type { Client, Reading } from "./client.js";
import { fieldsOf } from "./fields.js";
import { mixpanelAnswer, mixpanelKey, mixpanelShape, mixpanelTimeMs } from "./mixpanel.js";
import { companyRecords, isCompanyType, traitRecords } from "./people.js";

const common = {
  $token: z.string(),
  $time: z.union([z.number(), z.string()]).nullish(),
  $set: object,
  $set_once: object,
  $unset: z.array(z.string()).nullish(),
};
const profile = z.looseObject({ ...common, $distinct_id: id, $append: object });
const company = z.looseObject({ ...common, $group_key: z.string(), $group_id: id });

/** The list of somebody's payments, which is none of their traits. */
const CHARGES = "$transactions";
const CHARGE_NAME = "Payment";

/** People of `mixpanel`: `people.set`, `set_once`, `unset`, `track_charge`. What else there is has no place and changes nothing. */
export const mixpanelPeople: Client = {
  shape: mixpanelShape,
  keyOf: (sent) => mixpanelKey(sent, (each) => each["$token"]),
  itemsOf: ({ body }) => body["data"] as unknown[],
  read: readProfile,
  answer: (_, sent) => mixpanelAnswer(sent),
};

/** Groups of `mixpanel`: those that are companies. */
export const mixpanelGroups: Client = { ...mixpanelPeople, read: readGroup };

function readProfile(sent: unknown, reading: Reading): readonly Told[] {
  checkShape(profile, sent, { at: reading.at, secret: true });
  const { $set, $set_once: setOnce, $unset: unset, $append, $distinct_id: distinctId } = sent as z.infer<typeof profile>;
  const { [CHARGES]: _, ...set } = $set ?? {};
  const person = { userId: idOf(distinctId) };
  const records = traitRecords(person, { set, setOnce, unset }, momentOf(sent as JsonObject, reading));
  const charge = $append?.[CHARGES];
  return isObject(charge) ? [...records, chargeOf(charge, person, reading)] : records;
}

/** A payment without a time is told apart from others as any event is. */
function chargeOf(charge: JsonObject, { userId }: { readonly userId: string | null }, { idOf: idFor, sent: { receivedAtMs } }: Reading): Told {
  const { $amount: amount, $time: time, ...properties } = charge;
  const timeMs = mixpanelTimeMs(time);
  const { fields, rest } = fieldsOf(properties, { $currency: "currency" });
  const value = typeof amount === "number" ? amount : null;
  const createdAt = timeMs ?? receivedAtMs;
  return { event: { id: idFor([userId, charge], timeMs !== null), name: CHARGE_NAME, userId, createdAt, ...fields, value, metadata: rest } };
}

function readGroup(sent: unknown, reading: Reading): readonly Told[] {
  checkShape(company, sent, { at: reading.at, secret: true });
  const { $group_key: type, $group_id: groupId, $set, $set_once: setOnce, $unset } = sent as z.infer<typeof company>;
  const companyId = idOf(groupId);
  if (!isCompanyType(type) || companyId === null) return [];
  const moment = momentOf(sent as JsonObject, reading);
  return companyRecords(companyId, null, { set: named($set), setOnce: named(setOnce), unset: $unset }, moment);
}

/** The name of a company is shown where it stands under `name`. */
function named(traits: JsonObject | null | undefined): JsonObject {
  const { $name: name, ...rest } = objectOf(traits);
  return name === undefined ? rest : { name, ...rest };
}

/** A profile is told once for a moment: the same said again later changes nothing. */
function momentOf(sent: JsonObject, { idOf: idFor, sent: { receivedAtMs } }: Reading): { readonly id: string; readonly createdAtMs: number } {
  const { $token: _, ...content } = sent;
  const timeMs = mixpanelTimeMs(content["$time"]);
  return { id: idFor(content, timeMs !== null), createdAtMs: timeMs ?? receivedAtMs };
}

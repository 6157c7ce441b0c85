import { z } from "zod";
import { checkShape } from "../shapes/check-shape.js";
import { id, object } from "../tracking/call.js";
import { instantOfAny } from "../tracking/call-time.js";
import { idOf, isObject, objectOf, without } from "../tracking/members.js";
import type { JsonObject } from "../tracking/members.js";
import type { ReceivedItem } from "../tracking/store-entries.js";
import type { ClientAdapter, ItemContext } from "./client.js";
import { fieldsOf } from "./fields.js";
import { mixpanelAnswer, mixpanelKey, mixpanelShape } from "./mixpanel.js";
import { companyRecords, isCompanyType, traitRecords } from "./people.js";
import type { TraitChanges } from "./people.js";

const common = {
  $token: z.string(),
  $time: z.union([z.number(), z.string()]).nullish(),
  $set: object,
  $set_once: object,
  $unset: z.array(z.string()).nullish(),
  $add: object,
  $append: object,
  $union: object,
  $remove: object,
};
const profile = z.looseObject({ ...common, $distinct_id: id });
const company = z.looseObject({ ...common, $group_key: z.string(), $group_id: id });

/** Traits with another name in Daybook: a person's email, and a company's name. */
const PERSON_NAMES = new Map([["$email", "email"]]);
const COMPANY_NAMES = new Map([["$name", "name"]]);

/** The list of a person's payments, which is not a trait. */
const CHARGES = "$transactions";
const CHARGE_NAME = "Payment";

/** Profiles of `mixpanel`: traits, and `people.track_charge`. Other operations are ignored. */
export const mixpanelPeople: ClientAdapter = {
  shape: mixpanelShape,
  keyOf: (sent) => mixpanelKey(sent, (each) => each["$token"]),
  itemsOf: ({ body }) => body["data"] as unknown[],
  read: readProfile,
  answer: (_, sent) => mixpanelAnswer(sent),
};

/** Groups of `mixpanel`; only companies are stored. */
export const mixpanelGroups: ClientAdapter = { ...mixpanelPeople, read: readGroup };

function readProfile(sent: unknown, reading: ItemContext): readonly ReceivedItem[] {
  checkShape(profile, sent, { at: reading.at, secret: true });
  const told = sent as z.infer<typeof profile>;
  const person = { userId: idOf(told.$distinct_id) };
  const records = traitRecords(person, changesOf(told, PERSON_NAMES), momentOf(told, reading));
  const charge = told.$append?.[CHARGES];
  return isObject(charge) ? [...records, chargeOf(charge, person, reading)] : records;
}

function chargeOf(charge: JsonObject, { userId }: { readonly userId: string | null }, { sent: { receivedAtMs } }: ItemContext): ReceivedItem {
  const { $amount: amount, $time: time, ...properties } = charge;
  const { fields, rest } = fieldsOf(properties, { $currency: "currency" });
  const value = typeof amount === "number" ? amount : null;
  const createdAt = instantOfAny(time) ?? receivedAtMs;
  return { event: { id: globalThis.crypto.randomUUID(), name: CHARGE_NAME, userId, createdAt, ...fields, value, metadata: rest } };
}

function readGroup(sent: unknown, reading: ItemContext): readonly ReceivedItem[] {
  checkShape(company, sent, { at: reading.at, secret: true });
  const told = sent as z.infer<typeof company>;
  const companyId = idOf(told.$group_id);
  if (!isCompanyType(told.$group_key) || companyId === null) return [];
  return companyRecords(companyId, null, changesOf(told, COMPANY_NAMES), momentOf(told, reading));
}

type ProfileChanges = Pick<z.infer<typeof company>, keyof typeof common>;

function changesOf({ $set, $set_once: setOnce, $unset, $add, $append, $union, $remove }: ProfileChanges, names: ReadonlyMap<string, string>): TraitChanges {
  const named = (traits: JsonObject | null | undefined) => {
    const own = without(objectOf(traits), [CHARGES, ...names.keys()]);
    const renamed = [...names].flatMap(([name, here]) => (objectOf(traits)[name] === undefined ? [] : [[here, objectOf(traits)[name]] as const]));
    return { ...own, ...Object.fromEntries(renamed) };
  };
  const unset = $unset?.map((name) => names.get(name) ?? name);
  return { set: named($set), setOnce: named(setOnce), unset, add: named($add), append: named($append), union: named($union), remove: named($remove) };
}

function momentOf(sent: JsonObject, { sent: { receivedAtMs } }: ItemContext): { readonly id: string; readonly createdAtMs: number } {
  return { id: globalThis.crypto.randomUUID(), createdAtMs: instantOfAny(sent["$time"]) ?? receivedAtMs };
}

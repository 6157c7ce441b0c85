import { changesOf, isTraitChange, TRAIT_CHANGES, type Traits } from "../core/schema/record.js";

/** An email in the form used for comparison: trimmed, in lower case. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Whether a text in normal form can be an email. */
export function looksLikeEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}

/** The email in traits, for use when no other is given; `""` for none. */
export function emailOfTraits(traits: unknown): string {
  const { email } = (traits ?? {}) as { readonly email?: unknown };
  return typeof email === "string" ? normalEmail(email) : "";
}

/** All emails in traits (JSON): those of the `email` trait, which may be a list, and those of changes of it. */
export function emailsInTraits(traits: string): readonly string[] {
  if (!traits.includes('"email":')) return [];
  const members = JSON.parse(traits) as Traits;
  return [members, ...TRAIT_CHANGES.map((change) => changesOf(members, change))].flatMap(({ email }) => emailsOf(email));
}

/** Traits (JSON) without some emails, as if these had never been sent; `""` when nothing is left. */
export function traitsWithoutEmails(traits: string, isCut: (email: string) => boolean): string {
  const members = Object.entries(withoutEmails(JSON.parse(traits) as Traits, isCut));
  const left = Object.fromEntries(members.map(([key, value]) => [key, isTraitChange(key, value) ? withoutEmails(value, isCut) : value]));
  return Object.keys(left).length === 0 ? "" : JSON.stringify(left);
}

/** The trait may be a list of emails. */
function emailsOf(value: unknown): string[] {
  const texts = (Array.isArray(value) ? value : [value]).filter((text): text is string => typeof text === "string");
  return texts.map(normalEmail).filter((email) => email !== "");
}

function withoutEmails(traits: Traits, isCut: (email: string) => boolean): Traits {
  const { email, ...others } = traits;
  if (!emailsOf(email).some(isCut)) return traits;
  const left = Array.isArray(email) ? email.filter((text) => typeof text !== "string" || !isCut(normalEmail(text))) : [];
  return left.length === 0 ? others : { ...traits, email: left };
}

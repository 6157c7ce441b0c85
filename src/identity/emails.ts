import { changesOf, isTraitChange, SET_ONCE, type Traits } from "../schema/traits.js";

/** An email as it is compared: trimmed, in lower case, nothing else. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Whether a text in that form can be an email. */
export function looksLikeEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}

/** The email of somebody of whom none is told but in traits; `""` for none. */
export function emailOfTraits(traits: unknown): string {
  const { email } = (traits ?? {}) as { readonly email?: unknown };
  return typeof email === "string" ? normalEmail(email) : "";
}

/** Those that traits hold, as JSON, also beside another, and those that are set once. */
export function emailsInTraits(traits: string): readonly string[] {
  if (!traits.includes('"email":')) return [];
  const members = JSON.parse(traits) as Traits;
  return [emailOfTraits(members), emailOfTraits(changesOf(members, SET_ONCE))].filter((email) => email !== "");
}

/** Traits as JSON, as they would be stored had they come without these emails; `""` for none. */
export function traitsWithoutEmails(traits: string, isCut: (email: string) => boolean): string {
  const { [SET_ONCE]: once, ...members } = JSON.parse(traits) as Traits;
  const left = withoutEmail({ ...members, ...(once === undefined ? {} : { [SET_ONCE]: isTraitChange(SET_ONCE, once) ? withoutEmail(once, isCut) : once }) }, isCut);
  return Object.keys(left).length === 0 ? "" : JSON.stringify(left);
}

function withoutEmail(traits: Traits, isCut: (email: string) => boolean): Traits {
  const { email, ...others } = traits;
  return email !== undefined && isCut(emailOfTraits(traits)) ? others : traits;
}

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

/** The one that traits hold, as JSON, also beside another. */
export function emailInTraits(traits: string): string {
  return traits.includes('"email":') ? emailOfTraits(JSON.parse(traits)) : "";
}

/** Traits as JSON, as they would be stored had they come without an email; `""` for none. */
export function traitsWithoutEmail(traits: string): string {
  const members = JSON.parse(traits) as Record<string, unknown>;
  delete members["email"];
  return Object.keys(members).length === 0 ? "" : JSON.stringify(members);
}

const pattern = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export const EXPECTED_ORGANIZATION = "expected at most 63 lower-case letters, digits, - and _";

/** Whether a text may name an organization: it is also the name of a directory, on file systems that ignore case too. */
export function isOrganizationName(text: unknown): text is string {
  return typeof text === "string" && pattern.test(text);
}

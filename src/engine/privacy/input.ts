import { parameterError, shown } from "../../core/base/errors.js";
import { LIMITS } from "../../core/base/limits.js";
import { memberError, readMembers, readText, type InputMembers } from "../../query/plan/members.js";
import { normalEmail } from "../../query/plan/subject.js";
import type { PrivacyResolution, PrivacyType, Regulation } from "./requests.js";

/** A validated request. The email is normalized. */
export interface CheckedPrivacyInput {
  readonly type: PrivacyType;
  readonly subject: { readonly email: string } | { readonly userId: string };
  readonly regulation: Regulation;
}

const TYPES: readonly PrivacyType[] = ["access", "erasure", "portability", "rectification", "opt_out"];
const REGULATIONS: readonly Regulation[] = ["gdpr", "ccpa", "lgpd", "other"];
const RESOLUTIONS: readonly PrivacyResolution[] = ["completed", "no_records_found", "partially_completed", "denied", "withdrawn"];

/** @throws invalid_parameter, unknown_parameter, exactly_one_required */
export function readPrivacyInput(input: unknown): CheckedPrivacyInput {
  const members = readMembers(input ?? {}, "", ["type", "subject", "regulation"]);
  const given = members.values.get("subject");
  const readSubjectMembers = () => readMembers(given, "subject", ["email", "userId"]);
  // A misspelled member is reported before anything that is missing because of it.
  if (given !== undefined) readSubjectMembers();
  return {
    type: oneOf(TYPES, "type", members.values.get("type")),
    subject: readSubject(readSubjectMembers()),
    regulation: oneOf(REGULATIONS, "regulation", members.values.get("regulation") ?? "gdpr"),
  };
}

/** @throws invalid_parameter */
export function readResolution(resolution: unknown): PrivacyResolution {
  return oneOf(RESOLUTIONS, "resolution", resolution);
}

function readSubject(members: InputMembers): CheckedPrivacyInput["subject"] {
  const email = readId(members, "email");
  const userId = readId(members, "userId");
  if (email !== null && userId === null) return { email };
  if (userId !== null && email === null) return { userId };
  const came = email === null ? "neither" : "both";
  throw parameterError("exactly_one_required", members.path, `expected exactly one of email and userId, got ${came}`);
}

/** An empty text counts as missing, also if trimming makes it empty. */
function readId(members: InputMembers, name: "email" | "userId"): string | null {
  if (members.values.get(name) === "") return null;
  const text = readText(members, name) ?? "";
  if (text.length > LIMITS.fieldTextBytes)
    throw memberError(members, name, `expected at most ${LIMITS.fieldTextBytes} characters, got ${text.length}`);
  return (name === "email" ? normalEmail(text) : text) || null;
}

function oneOf<T extends string>(allowed: readonly T[], param: string, value: unknown): T {
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  throw parameterError("invalid_parameter", param, `expected one of ${allowed.join(", ")}, got ${shown(value)}`);
}

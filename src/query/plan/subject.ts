import { parameterError } from "../../core/base/errors.js";
import { readText, type InputMembers } from "./members.js";
import type { Subject } from "./plan.js";

/** An email in the form in which it is compared: trimmed and lower-cased. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** The subject, from exactly one of `email` and `userId`. @throws exactly_one_required, invalid_parameter */
export function planSubject(members: InputMembers): Subject {
  const isEmpty = (name: string) => (members.values.get(name) ?? "") === "";
  if (isEmpty("email") === isEmpty("userId")) {
    const came = isEmpty("email") ? "neither" : "both";
    throw parameterError("exactly_one_required", "email", `expected exactly one of email and userId, got ${came}`);
  }
  const userId = isEmpty("userId") ? null : readText(members, "userId");
  if (userId !== null) return { kind: "userId", userId };
  return { kind: "email", email: normalEmail(readText(members, "email") ?? "") };
}

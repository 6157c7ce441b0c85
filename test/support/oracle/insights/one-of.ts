import { parameterError } from "../../../../src/core/base/errors.js";

/** A name, of which the first is the default. @throws invalid_parameter (it is none of them) */
export function oneOf<Name extends string>(param: string, given: Name | null | undefined, names: readonly [Name, ...Name[]]): Name {
  const name = given ?? names[0];
  if (!names.includes(name)) throw parameterError("invalid_parameter", param, `expected one of ${names.join(", ")}, got ${name}`);
  return name;
}

/** Whose events go together. @throws invalid_parameter */
export function levelOf({ level }: { readonly level?: "identity" | "account" | null | undefined }): "identity" | "account" {
  return oneOf("level", level, ["identity", "account"]);
}

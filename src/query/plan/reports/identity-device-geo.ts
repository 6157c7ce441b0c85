import type { PlanContext } from "../context.js";
import { planIdentityScope, readIdentityInput } from "./identity-scope.js";
import type { Plan } from "../plan.js";

/** Plans an `identityDeviceGeo` query. @throws what `planIdentityScope` throws, unknown_parameter */
export function planIdentityDeviceGeo(input: unknown, context: PlanContext): Plan<"identityDeviceGeo"> {
  return { report: "identityDeviceGeo", ...planIdentityScope(readIdentityInput(input, []), context) };
}

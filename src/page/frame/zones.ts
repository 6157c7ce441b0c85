/** The zones that the browser knows, UTC first. */
export const ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];

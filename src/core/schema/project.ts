/** The project of events sent without one. It always exists. */
export const DEFAULT_PROJECT = "default";

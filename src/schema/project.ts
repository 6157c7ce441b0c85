/** The project of events that name none. It always exists. */
export const DEFAULT_PROJECT = "default";

/** 2026-03-10T12:00Z: the standing clock of random histories. */
export const nowMs = Date.UTC(2026, 2, 10, 12);

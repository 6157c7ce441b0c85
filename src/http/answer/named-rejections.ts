import { SERVER_LIMITS } from "../../core/base/server-limits.js";

interface NamedRejection {
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** The rejections that an answer names one by one, with the total if there are more. */
export interface NamedRejections {
  readonly rejected: NamedRejection[];
  readonly rejectedCount?: number;
}

/** @param rejected ascending by index */
export function namedRejections(rejected: readonly NamedRejection[]): NamedRejections {
  const named = rejected.slice(0, SERVER_LIMITS.namedItemCount).map(({ index, code, message }) => ({ index, code, message }));
  return named.length === rejected.length ? { rejected: named } : { rejected: named, rejectedCount: rejected.length };
}

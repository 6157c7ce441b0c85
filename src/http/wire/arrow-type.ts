/** The media type of an Arrow IPC stream. */
export const ARROW_TYPE = "application/vnd.apache.arrow.stream";

/** Whether an `Accept` header requests Arrow; otherwise the answer is JSON. */
export function asksForArrow(header: string | null): boolean {
  if (header === null) return false;
  return header.split(",").some((range) => {
    const [type = "", ...parameters] = range.toLowerCase().split(";").map((part) => part.trim());
    return type === ARROW_TYPE && !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter));
  });
}

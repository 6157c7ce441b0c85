/** Whether an `Accept-Encoding` takes gzip (RFC 9110, 12.5.3): by its name, or by `*` where it is not named, with a weight above 0. */
export function takesGzip(header: string): boolean {
  const weights = new Map(header.toLowerCase().split(",").map(weightOf));
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}

function weightOf(coding: string): readonly [string, number] {
  const [name = "", ...parameters] = coding.split(";").map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  return [name, weight === undefined ? 1 : Number(weight.slice(weight.indexOf("=") + 1))];
}

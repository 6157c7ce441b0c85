import { DaybookError } from "../../base/errors.js";

/** What a server reads of a field and of an address, unless its `http_max_field_value_size` and `http_max_uri_size` say otherwise. */
const FIELD_BYTES = 131_072;
const ADDRESS_BYTES = 1_048_576;
/** Room for what else stands there: the format behind a text, the settings in an address. */
const OTHER_FIELD_BYTES = 1_024;
const OTHER_ADDRESS_BYTES = 16_384;

/**
 * How a statement goes to the server: with its parameters as a form, since these may be longer than an address; or, where the text is too long for a
 * field, alone, with its parameters in the address. @throws too_many_filters where neither has the room
 */
export function sendingOf(query: string, params: Readonly<Record<string, unknown>>): "form" | "address" {
  const queryBytes = Buffer.byteLength(query);
  if (queryBytes <= FIELD_BYTES - OTHER_FIELD_BYTES) return "form";
  const sizes = Object.entries(params).map(([name, value]) => addressBytesOf(name, value));
  const hasRoom = sizes.every((size) => size <= FIELD_BYTES) && sizes.reduce((sum, size) => sum + size, 0) <= ADDRESS_BYTES - OTHER_ADDRESS_BYTES;
  if (hasRoom) return "address";
  throw new DaybookError("too_many_filters", `expected a question that ClickHouse has room for, got one of ${queryBytes} bytes of SQL and long values`);
}

/** Of a parameter in an address, or some more: a client writes lists as JSON does, but between apostrophes, which are escaped in texts. */
function addressBytesOf(name: string, value: unknown): number {
  const text = typeof value === "string" ? value.replaceAll("\\", "\\\\") : JSON.stringify(value);
  return new URLSearchParams({ [`param_${name}`]: text.replaceAll("'", "\\'") }).toString().length + 1;
}

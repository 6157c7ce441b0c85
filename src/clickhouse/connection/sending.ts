import { DaybookError } from "../../base/errors.js";

/** What a server reads of a form's field and of an address, unless its `http_max_field_value_size` and `http_max_uri_size` say otherwise. */
const FIELD_BYTES = 131_072;
const ADDRESS_BYTES = 1_048_576;
/** Of an address, for settings and what else stands in it. */
const OTHER_BYTES = 16_384;

/**
 * How a statement goes to the server: with its parameters as a form, since these may be longer than an address; or, where the text is too long for a
 * field, alone, with its parameters in the address. @throws too_many_filters where neither has the room
 */
export function sendingOf(query: string, params: Readonly<Record<string, unknown>>): "form" | "address" {
  const queryBytes = Buffer.byteLength(query);
  if (queryBytes <= FIELD_BYTES) return "form";
  // In an address no byte takes more than three.
  const paramBytes = 3 * Buffer.byteLength(JSON.stringify(params));
  if (paramBytes <= ADDRESS_BYTES - OTHER_BYTES) return "address";
  throw new DaybookError("too_many_filters", `expected a question that ClickHouse has room for, got one of ${queryBytes} bytes of SQL and long values`);
}

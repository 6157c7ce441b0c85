import { byTimeThenId, type OracleEvent } from "./event.js";
import type { Identities } from "./identities.js";

/**
 * The company behind an event, `""` for none: the event's own, else the one its identity was last seen with by then,
 * else the first it was ever seen with. `events` in order of time and id.
 */
export function companiesOf(events: readonly OracleEvent[], identities: Identities): (event: OracleEvent) => string {
  const stamped = events.filter((event) => event.companyId !== "" && identities.of(event) !== null);
  return (event) => {
    if (event.companyId !== "") return event.companyId;
    const own = stamped.filter((other) => identities.of(other) === identities.of(event));
    const before = own.filter((other) => byTimeThenId(other, event) < 0);
    return (before.at(-1) ?? own.at(0))?.companyId ?? "";
  };
}

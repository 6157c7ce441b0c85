import type { FoundEvent } from "../../ask/answers.js";
import { instant, instantShort } from "../../format/date.js";
import { fieldValue } from "../../format/value.js";

interface EventRowsProps {
  readonly events: readonly FoundEvent[];
  readonly zone: string;
  readonly onOpen: (event: FoundEvent) => void;
}

/** Events in lines; each opens whole. */
export function EventRows({ events, zone, onOpen }: EventRowsProps) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Events">
      <table class="grid event-rows">
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">Time</th>
            <th scope="col">Page</th>
            <th scope="col">Who</th>
            <th scope="col">Where</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <th scope="row">
                <button type="button" class="cell-button" title={event.name} onClick={() => onOpen(event)}>
                  {event.name}
                </button>
              </th>
              <td class="nowrap" title={instant(event.createdAt, zone)}>
                {instantShort(event.createdAt, zone)}
              </td>
              <td>
                <span class="cut" title={event.url}>
                  {event.url}
                </span>
              </td>
              <td>
                <span class="cut" title={whoIs(event)}>
                  {whoIs(event)}
                </span>
              </td>
              <td class="nowrap">
                {[event.location_country === "" ? "" : fieldValue("location_country", event.location_country), event.device]
                  .filter((text) => text !== "")
                  .join(", ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function whoIs({ userId, anonymous_id: anonymousId = "" }: FoundEvent): string {
  return userId === "" ? anonymousId : userId;
}

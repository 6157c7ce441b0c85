import { EventEntry } from "../../parts/event-entry.js";
import { Choice, Choices } from "../../parts/field.js";
import { usePage } from "../../parts/page-context.js";
import { Tabs } from "../../parts/tabs.js";
import type { ChoicesOf } from "../../state/choices.js";
import { choose } from "../../state/picture.js";
import { Cohorts } from "./cohorts.js";
import { Lifecycle } from "./lifecycle.js";
import { Stickiness } from "./stickiness.js";

const SHOWN = [
  ["cohorts", "Who came back"],
  ["lifecycle", "Who is new or gone"],
  ["stickiness", "How often"],
] as const;
const MEMBERS = [
  ["first_time", "for the first time ever"],
  ["recurring", "whenever they do it"],
] as const;
const RETURNED = [
  ["on", "in that very period"],
  ["on_or_after", "in it or later"],
] as const;

/** Who comes back, who is new or leaves, and how often people come. */
export function Retention() {
  const { picture, go } = usePage();
  const chosen = picture.choices.retention;
  const change = (changed: Partial<ChoicesOf<"retention">>) => go(choose(picture, "retention", changed));
  return (
    <>
      <section class="panel choices-panel" aria-label="Who and when">
        <div class="row">
          <Tabs label="Question" names={SHOWN} chosen={chosen.shown} onChoose={(shown) => change({ shown })} />
        </div>
        <Choices>
          <EventEntry label="People who did" choice={chosen.cohort} onChange={(cohort) => change({ cohort })} />
          {chosen.shown === "cohorts" && (
            <>
              <Choice label="Counted" value={chosen.members} names={MEMBERS} onChoose={(members) => change({ members })} />
              <EventEntry label="and came back to" choice={chosen.back} onChange={(back) => change({ back })} />
              <Choice label="Came back" value={chosen.returned} names={RETURNED} onChoose={(returned) => change({ returned })} />
            </>
          )}
        </Choices>
      </section>
      {chosen.shown === "cohorts" ? <Cohorts /> : chosen.shown === "lifecycle" ? <Lifecycle /> : <Stickiness />}
    </>
  );
}

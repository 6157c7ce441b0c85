import { useEffect, useState } from "preact/hooks";
import type { FoundEvent } from "../../ask/answers.js";
import { keyOf } from "../../ask/question.js";
import { searchQuestion } from "../../ask/questions/events.js";
import { plural } from "../../format/locale.js";
import { sheetOf } from "../../format/sheet.js";
import { Check, Choices, Entry } from "../../parts/field.js";
import { Icon } from "../../parts/icon.js";
import { usePage } from "../../parts/page-context.js";
import { Panel } from "../../parts/panel.js";
import { useReply } from "../../parts/reply.js";
import { useEventNames } from "../../parts/suggestions.js";
import { choose } from "../../state/picture.js";
import { NothingHere } from "../nothing-here.js";
import { EventDialog } from "./event-dialog.js";
import { EventRows } from "./event-rows.js";
import { newEvents, withNew, withOlder, type EventPages } from "./event-pages.js";

/** Single events: found by filters, followed as they come, seen whole. */
export function Events() {
  const { picture, scope, client, go } = usePage();
  const { event, open } = picture.choices.events;
  const question = searchQuestion(scope, { event }, null);
  const reply = useReply(question);
  const names = useEventNames();
  const [isLive, setLive] = useState(false);
  const [pages, setPages] = useState<EventPages | null>(null);
  const key = keyOf(question);
  const newest = reply.isOld ? null : reply.answer;
  useEffect(() => {
    if (newest !== null && (isLive || pages?.key !== key)) setPages(withNew(pages, key, newest));
  }, [newest, isLive, key]);
  const waiting = newest === null || pages?.key !== key ? [] : newEvents(pages, newest);
  const loadOlder = () => {
    if (pages === null || pages.cursor === null) return;
    const abort = new AbortController();
    client
      .ask(searchQuestion(scope, { event }, pages.cursor), abort.signal)
      .then((older) => setPages((now) => withOlder(now, key, older)), reply.again);
  };
  const openEvent = (found: FoundEvent) => go(choose(picture, "events", { open: found.id }));
  const news = (
    <span aria-live="polite">
      {waiting.length > 0 && newest !== null && (
        <button type="button" class="chip-add" onClick={() => setPages(withNew(pages, key, newest))}>
          <Icon name="up" /> {plural(waiting.length, "new event")}
        </button>
      )}
    </span>
  );
  return (
    <>
      <section class="panel choices-panel" aria-label="Which events">
        <Choices>
          <Entry
            label="Event"
            value={event}
            suggestions={names}
            placeholder="any event"
            onSettle={(name) => go(choose(picture, "events", { event: name }))}
          />
          <Check label="Follow as they come" value={isLive} onChoose={setLive} />
        </Choices>
      </section>
      <Panel title="Events" class="events-panel" reply={reply} lines={16} head={news} sheet={() => sheetOf(pages?.events ?? [])}>
        {(answer) => {
          const shown = pages?.key === key ? pages : { key, events: answer.events, cursor: answer.cursor };
          if (shown.events.length === 0) return <NothingHere />;
          return (
            <>
              <EventRows events={shown.events} zone={scope.zone} onOpen={openEvent} />
              {shown.cursor !== null && (
                <button type="button" class="button older" onClick={loadOlder}>
                  Older events
                </button>
              )}
            </>
          );
        }}
      </Panel>
      {open !== "" && <EventDialog id={open} onClose={() => go(choose(picture, "events", { open: "" }))} />}
    </>
  );
}

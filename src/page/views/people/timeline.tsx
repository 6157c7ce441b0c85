import { useState } from "preact/hooks";
import type { PersonSession, PersonSessionsAnswer } from "../../ask/answers.js";
import { eventsOfPersonQuestion } from "../../ask/questions/events.js";
import { personSessionsQuestion } from "../../ask/questions/people.js";
import { hasScope } from "../../ask/rights.js";
import { clock, instant } from "../../format/date.js";
import { noun } from "../../format/locale.js";
import { duration, number } from "../../format/number.js";
import { Skeleton, TroubleNotice } from "../../parts/notice.js";
import { Num } from "../../parts/number.js";
import { usePage } from "../../parts/page-context.js";
import { useReply } from "../../parts/reply.js";

interface TimelineProps {
  readonly person: string;
  readonly first: PersonSessionsAnswer;
}

/** Sessions, the newest first; each opens to what happened in it. */
export function Timeline({ person, first }: TimelineProps) {
  const { scope, client } = usePage();
  const [older, setOlder] = useState<PersonSessionsAnswer | null>(null);
  const { cursor } = older ?? first;
  const known = new Set(first.sessions.map(({ session_id: id }) => id));
  const sessions = [...first.sessions, ...(older?.sessions ?? []).filter(({ session_id: id }) => !known.has(id))];
  const load = () =>
    void client.ask(personSessionsQuestion(scope, person, cursor), new AbortController().signal).then(
      (answer) => setOlder((before) => ({ ...answer, sessions: [...(before?.sessions ?? []), ...answer.sessions] })),
      () => undefined,
    );
  if (sessions.length === 0) return <p class="nothing">No sessions in this time.</p>;
  return (
    <>
      <ol class="timeline">
        {sessions.map((session) => (
          <Session key={session.session_id} session={session} identity={first.identity_id} />
        ))}
      </ol>
      {cursor !== null && (
        <button type="button" class="button older" onClick={load}>
          Older sessions
        </button>
      )}
    </>
  );
}

function Session({ session, identity }: { readonly session: PersonSession; readonly identity: string }) {
  const { scope, token } = usePage();
  const [isOpen, setOpen] = useState(false);
  const way = [session.entry_url, session.exit_url === session.entry_url ? null : session.exit_url].filter((url) => url !== null).join(" → ");
  const around = [session.utm_source ?? session.referrer, session.device, session.browser, session.location_city]
    .filter((text) => text !== null && text !== "")
    .join(" · ");
  return (
    <li class="moment">
      <div class="moment-head">
        <div>
          <strong>{instant(session.started_at, scope.zone)}</strong>{" "}
          <span class="faint">
            <Num shown={number(session.events)} /> {noun(session.events, "event")}, <Num shown={duration(session.duration_sec)} />
          </span>
        </div>
        {hasScope(token, "events:read") && (
          <button type="button" class="chip-add" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Less" : "Events"}
          </button>
        )}
      </div>
      {way !== "" && (
        <div class="cut-line" title={way}>
          {way}
        </div>
      )}
      {around !== "" && (
        <div class="faint cut-line" title={around}>
          {around}
        </div>
      )}
      {isOpen && <SessionEvents session={session} identity={identity} />}
    </li>
  );
}

function SessionEvents({ session, identity }: { readonly session: PersonSession; readonly identity: string }) {
  const { scope } = usePage();
  const { answer, trouble, again } = useReply(eventsOfPersonQuestion(identity, session.project, session.started_at, session.ended_at));
  if (trouble !== null) return <TroubleNotice trouble={trouble} onAgain={again} />;
  if (answer === null) return <Skeleton lines={Math.min(10, session.events)} />;
  return (
    <ol class="moment-events">
      {[...answer.events].reverse().map(({ id, createdAt, name, url }) => (
        <li key={id}>
          <span class="faint num">{clock(createdAt, scope.zone)}</span> <span>{name}</span>{" "}
          <span class="faint cut" title={url}>
            {url}
          </span>
        </li>
      ))}
    </ol>
  );
}

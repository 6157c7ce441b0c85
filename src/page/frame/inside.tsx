import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ProjectsAnswer } from "../ask/answers.js";
import type { Client } from "../ask/client.js";
import { projectsQuestion, tokenQuestion } from "../ask/questions/house.js";
import { extentQuestion, webQuestion } from "../ask/questions/overview.js";
import { hasScope, opens } from "../ask/rights.js";
import { Trouble } from "../ask/trouble.js";
import { Empty, TroubleNotice } from "../parts/notice.js";
import { scopeOf } from "../state/scope.js";
import { VIEWS } from "../views/table.js";
import { Frame, type FrameProps } from "./frame.js";
import { Mark } from "./mark.js";
import { pictureHere } from "./use-picture.js";

type InsideProps = Omit<FrameProps, "token" | "projects" | "firstProject">;

/** Projects that are looked into for events, where the address names none. */
const LOOKED_INTO = 8;

/** Learns what the token may do before anything else is asked. */
export function Inside(props: InsideProps) {
  const { client, onSignOut } = props;
  const [known, setKnown] = useState<Pick<FrameProps, "token" | "projects" | "firstProject"> | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setTrouble(null);
    askAhead(client, abort.signal);
    learn(client, abort.signal).then(setKnown, (thrown: unknown) => {
      if (!abort.signal.aborted) setTrouble(thrown instanceof Trouble ? thrown : new Trouble("internal", 0, String(thrown), null, null));
    });
    return () => abort.abort();
  }, [client, attempt]);
  if (trouble !== null)
    return (
      <Alone onSignOut={onSignOut}>
        <TroubleNotice trouble={trouble} onAgain={() => setAttempt(attempt + 1)} />
      </Alone>
    );
  if (known === null)
    return (
      <main class="way-in" aria-busy="true">
        <Mark />
      </main>
    );
  if (!VIEWS.some(({ name }) => opens(known.token, name)))
    return (
      <Alone onSignOut={onSignOut}>
        <Empty title="This token reads nothing">It may only write. Use one that has scopes to read.</Empty>
      </Alone>
    );
  if (known.projects.length === 0) {
    return (
      <Alone onSignOut={onSignOut}>
        <Empty title="Nothing is stored yet">
          Send the first event, by <code>POST /v1/events</code>, and come back.
        </Empty>
      </Alone>
    );
  }
  return <Frame {...props} {...known} />;
}

/** The overview asks at once what it will ask anyway, where the address says of which project: it is shown a round trip earlier. */
function askAhead(client: Client, signal: AbortSignal): void {
  const picture = pictureHere();
  if (picture.view !== "overview" || picture.project === "") return;
  client.ask(webQuestion(scopeOf(picture, { nowMs: Date.now(), extent: null })), signal).catch(() => undefined);
}

async function learn(client: Client, signal: AbortSignal) {
  const nobody: ProjectsAnswer = { projects: [] };
  // Both at once; a token without the right to list projects is told by its own project.
  const listed = client.ask(projectsQuestion, signal).catch((thrown: unknown) => {
    if (thrown instanceof Trouble && thrown.status === 403) return nobody;
    throw thrown;
  });
  const [token, { projects }] = await Promise.all([client.ask(tokenQuestion, signal), listed]);
  if (!hasScope(token, "analytics:read")) return { token, projects: [token.project ?? "default"], firstProject: token.project ?? "default" };
  return { token, projects, firstProject: await firstOf(client, projects, signal) };
}

/** The project to begin with: the one of the address, else that with the most events; "default" is there also where nothing is in it. */
async function firstOf(client: Client, projects: readonly string[], signal: AbortSignal): Promise<string> {
  const [first = "default"] = projects;
  const { project, zone } = pictureHere();
  if (projects.length < 2 || projects.includes(project)) return first;
  const looked = projects.slice(0, LOOKED_INTO);
  const extents = await Promise.all(looked.map((name) => client.ask(extentQuestion(name, zone), signal).catch(() => null)));
  const counts = extents.map((extent) => extent?.series[0]?.counted ?? 0);
  return looked[counts.indexOf(Math.max(...counts))] ?? first;
}

function Alone({ children, onSignOut }: { readonly children: ComponentChildren; readonly onSignOut: () => void }) {
  return (
    <main class="way-in">
      <div class="way-in-card">
        <Mark />
        {children}
        <button type="button" class="button" onClick={onSignOut}>
          Sign out
        </button>
      </div>
    </main>
  );
}

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ProjectsAnswer, TokenAnswer } from "../ask/answers.js";
import type { Client } from "../ask/client.js";
import { projectsQuestion, tokenQuestion } from "../ask/questions/house.js";
import { hasScope, opens } from "../ask/rights.js";
import { Trouble } from "../ask/trouble.js";
import { Empty, TroubleNotice } from "../parts/notice.js";
import { VIEWS } from "../views/table.js";
import { Frame, type FrameProps } from "./frame.js";
import { Mark } from "./mark.js";

type InsideProps = Omit<FrameProps, "token" | "projects">;

/** Learns what the token may do before anything else is asked. */
export function Inside(props: InsideProps) {
  const { client, onSignOut } = props;
  const [known, setKnown] = useState<{ readonly token: TokenAnswer; readonly projects: readonly string[] } | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setTrouble(null);
    learn(client, abort.signal).then(setKnown, (thrown: unknown) => {
      if (!abort.signal.aborted) setTrouble(thrown instanceof Trouble ? thrown : new Trouble("internal", 0, String(thrown), null, null));
    });
    return () => abort.abort();
  }, [client, attempt]);
  if (trouble !== null) return <Alone onSignOut={onSignOut}><TroubleNotice trouble={trouble} onAgain={() => setAttempt(attempt + 1)} /></Alone>;
  if (known === null) return <main class="way-in" aria-busy="true"><Mark /></main>;
  if (!VIEWS.some(({ name }) => opens(known.token, name))) return <Alone onSignOut={onSignOut}><Empty title="This token reads nothing">It may only write. Use one that has scopes to read.</Empty></Alone>;
  if (known.projects.length === 0) {
    return <Alone onSignOut={onSignOut}><Empty title="Nothing is stored yet">Send the first event, by <code>POST /v1/events</code>, and come back.</Empty></Alone>;
  }
  return <Frame {...props} token={known.token} projects={known.projects} />;
}

async function learn(client: Client, signal: AbortSignal) {
  const nobody: ProjectsAnswer = { projects: [] };
  // Both at once; a token without the right to list projects is told by its own project.
  const listed = client.ask(projectsQuestion, signal).catch((thrown: unknown) => {
    if (thrown instanceof Trouble && thrown.status === 403) return nobody;
    throw thrown;
  });
  const [token, { projects }] = await Promise.all([client.ask(tokenQuestion, signal), listed]);
  const known = hasScope(token, "analytics:read") ? projects : [token.project ?? "default"];
  return { token, projects: known };
}

function Alone({ children, onSignOut }: { readonly children: ComponentChildren; readonly onSignOut: () => void }) {
  return (
    <main class="way-in">
      <div class="way-in-card">
        <Mark />
        {children}
        <button type="button" class="button" onClick={onSignOut}>Sign out</button>
      </div>
    </main>
  );
}

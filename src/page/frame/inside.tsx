import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { opens } from "../ask/rights.js";
import { Trouble } from "../ask/trouble.js";
import { Empty, TroubleNotice } from "../parts/notice.js";
import { VIEWS } from "../views/table.js";
import { askAhead, learn, type Beginning } from "./beginning.js";
import { Frame, type FrameProps } from "./frame.js";
import { Mark } from "./mark.js";

type InsideProps = Omit<FrameProps, keyof Beginning>;

/** Learns what the token may do before anything else is asked. */
export function Inside(props: InsideProps) {
  const { client, onSignOut } = props;
  const [known, setKnown] = useState<Beginning | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [attempt, setAttempt] = useState(0);
  // Before anything is painted, for everything waits for it.
  useLayoutEffect(() => {
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

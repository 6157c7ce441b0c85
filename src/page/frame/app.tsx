import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { ApiClient, ApiError } from "../ask/client.js";
import { opens } from "../ask/rights.js";
import { Empty, ErrorNotice } from "../parts/notice.js";
import { VIEWS } from "../views/table.js";
import { useTheme } from "./use-view-state.js";
import { Mark } from "./mark.js";
import { prefetch, learn, type StartInfo } from "./beginning.js";
import { Frame, type FrameProps } from "./frame.js";

/** Key in the session storage. The token is stored only there and in memory, so that closing the tab discards it. */
const NAME = "daybook-token";

/** The token of the fragment `#token=sk_…`, which is removed from the address at once. */
function takeTokenOfAddress(): string | null {
  const found = /^#token=([^&]+)/.exec(location.hash);
  if (found === null) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  try {
    return decodeURIComponent(found[1] ?? "");
  } catch {
    return null;
  }
}

function keptToken(): string | null {
  try {
    return sessionStorage.getItem(NAME);
  } catch {
    return null;
  }
}

/** Without session storage, the token lasts until the page is reloaded. */
function keepToken(token: string | null): void {
  try {
    if (token === null) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, token);
  } catch {
    return;
  }
}

interface AppState {
  readonly token: string | null;
  readonly reason: string | null;
}

function firstState(): AppState {
  const token = takeTokenOfAddress();
  if (token !== null) keepToken(token);
  return { token: token ?? keptToken(), reason: null };
}

const SIGNED_OUT = "The server does not accept this token: it is unknown, expired or revoked.";

/** The sign-in form or the signed-in page. @param root of the API, without a trailing slash */
export function App({ root }: { readonly root: string }) {
  const { theme, shown, choose } = useTheme();
  const [{ token, reason }, setState] = useState(firstState);
  const enter = useCallback((given: string | null, why: string | null) => {
    keepToken(given);
    setState({ token: given, reason: why });
  }, []);
  useEffect(() => {
    const follow = () => {
      const given = takeTokenOfAddress();
      if (given !== null) enter(given, null);
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const client = useMemo(() => (token === null ? null : new ApiClient(root, token, () => enter(null, SIGNED_OUT))), [root, token]);
  // A layout effect: a late response to the previous token must not end this session.
  useLayoutEffect(() => () => client?.leave(), [client]);
  if (client === null) return <WayIn reason={reason} onToken={(given) => enter(given, null)} />;
  return <Inside key={client.token} client={client} theme={theme} themeShown={shown} onTheme={choose} onSignOut={() => enter(null, null)} />;
}

interface WayInProps {
  /** Why the user was signed out; null on the first visit. */
  readonly reason: string | null;
  readonly onToken: (token: string) => void;
}

/** The sign-in form. */
function WayIn({ reason, onToken }: WayInProps) {
  const [token, setToken] = useState("");
  const read = (event: Event) => {
    if (event.target instanceof HTMLInputElement) setToken(event.target.value);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (token.trim() !== "") onToken(token.trim());
  };
  return (
    <main class="way-in">
      <form class="way-in-card" onSubmit={submit}>
        <Mark />
        <h1>Sign in with a token</h1>
        <p class="remark">Use a secret token of this server. It stays in this tab until you sign out or close it, and is sent only to this server.</p>
        {reason !== null && (
          <p class="way-in-reason" role="alert">
            {reason}
          </p>
        )}
        <label class="choice">
          <span class="label">Token</span>
          <input type="password" value={token} placeholder="sk_…" autoComplete="off" spellcheck={false} onInput={read} />
        </label>
        <button type="submit" class="button primary" disabled={token.trim() === ""}>
          Sign in
        </button>
        <p class="remark">
          Create one: <code>daybook token create --role owner</code>
        </p>
      </form>
    </main>
  );
}

type InsideProps = Omit<FrameProps, keyof StartInfo>;

/** Reads what the token may do before any other query. */
function Inside(props: InsideProps) {
  const { client, onSignOut } = props;
  const [known, setKnown] = useState<StartInfo | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [attempt, setAttempt] = useState(0);
  // A layout effect, before anything is painted: everything waits for it.
  useLayoutEffect(() => {
    const abort = new AbortController();
    setError(null);
    prefetch(client, abort.signal);
    learn(client, abort.signal).then(setKnown, (thrown: unknown) => {
      if (!abort.signal.aborted) setError(thrown instanceof ApiError ? thrown : new ApiError("internal", 0, String(thrown), null, null));
    });
    return () => abort.abort();
  }, [client, attempt]);
  if (error !== null)
    return (
      <Alone onSignOut={onSignOut}>
        <ErrorNotice error={error} onAgain={() => setAttempt(attempt + 1)} />
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
        <Empty title="This token cannot read anything">It can only write. Use a token with scopes for reading.</Empty>
      </Alone>
    );
  if (known.projects.length === 0) {
    return (
      <Alone onSignOut={onSignOut}>
        <Empty title="Nothing is stored yet">
          Send the first event with <code>POST /v1/events</code>, then reload this page.
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

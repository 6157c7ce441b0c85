import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { ApiClient, ApiError } from "../ask/client.js";
import { canOpen } from "../ask/rights.js";
import { Empty, ErrorNotice } from "../parts/notice.js";
import { VIEWS } from "../views/table.js";
import { useTheme } from "./use-view-state.js";
import { Mark } from "./mark.js";
import { prefetch, loadStartInfo, type StartInfo } from "./beginning.js";
import { Frame, type FrameProps } from "./frame.js";

/** Key in the session storage, the only place besides memory that holds the token: closing the tab discards it. */
const TOKEN_KEY = "daybook-token";

/** Takes the token from the fragment `#token=sk_…`, and removes it from the URL. */
function takeTokenFromUrl(): string | null {
  const match = /^#token=([^&]+)/.exec(location.hash);
  if (match === null) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  try {
    return decodeURIComponent(match[1] ?? "");
  } catch {
    return null;
  }
}

function storedToken(): string | null {
  try {
    return sessionStorage.getItem(TOKEN_KEY);
  } catch {
    return null;
  }
}

/** Without session storage, the token is lost on reload. */
function storeToken(token: string | null): void {
  try {
    if (token === null) sessionStorage.removeItem(TOKEN_KEY);
    else sessionStorage.setItem(TOKEN_KEY, token);
  } catch {
    return;
  }
}

interface AppState {
  readonly token: string | null;
  readonly reason: string | null;
}

function firstState(): AppState {
  const token = takeTokenFromUrl();
  if (token !== null) storeToken(token);
  return { token: token ?? storedToken(), reason: null };
}

const SIGNED_OUT = "The server does not accept this token: it is unknown, expired or revoked.";

/** The sign-in form or the signed-in page. @param root of the API, without a trailing slash */
export function App({ root }: { readonly root: string }) {
  const { theme, shown, choose } = useTheme();
  const [{ token, reason }, setState] = useState(firstState);
  const changeToken = useCallback((token: string | null, reason: string | null) => {
    storeToken(token);
    setState({ token, reason });
  }, []);
  useEffect(() => {
    const follow = () => {
      const newToken = takeTokenFromUrl();
      if (newToken !== null) changeToken(newToken, null);
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const client = useMemo(() => (token === null ? null : new ApiClient(root, token, () => changeToken(null, SIGNED_OUT))), [root, token]);
  // A layout effect: a late response for the previous token must not end this session.
  useLayoutEffect(() => () => client?.retire(), [client]);
  if (client === null) return <SignIn reason={reason} onToken={(newToken) => changeToken(newToken, null)} />;
  return <SignedIn key={client.token} client={client} theme={theme} themeShown={shown} onTheme={choose} onSignOut={() => changeToken(null, null)} />;
}

interface SignInProps {
  /** Why the user was signed out; null on the first visit. */
  readonly reason: string | null;
  readonly onToken: (token: string) => void;
}

/** The sign-in form. */
function SignIn({ reason, onToken }: SignInProps) {
  const [token, setToken] = useState("");
  const read = (event: Event) => {
    if (event.target instanceof HTMLInputElement) setToken(event.target.value);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (token.trim() !== "") onToken(token.trim());
  };
  return (
    <main class="sign-in">
      <form class="sign-in-card" onSubmit={submit}>
        <Mark />
        <h1>Sign in with a token</h1>
        <p class="remark">Use a secret token of this server. It stays in this tab until you sign out or close it, and is sent only to this server.</p>
        {reason !== null && (
          <p class="form-error" role="alert">
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

type SignedInProps = Omit<FrameProps, keyof StartInfo>;

/** Loads the rights of the token before any view is shown. */
function SignedIn(props: SignedInProps) {
  const { client, onSignOut } = props;
  const [startInfo, setStartInfo] = useState<StartInfo | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [attempt, setAttempt] = useState(0);
  // A layout effect, to start the requests before the first paint.
  useLayoutEffect(() => {
    const abort = new AbortController();
    setError(null);
    prefetch(client, abort.signal);
    loadStartInfo(client, abort.signal).then(setStartInfo, (thrown: unknown) => {
      if (!abort.signal.aborted) setError(thrown instanceof ApiError ? thrown : new ApiError("internal", 0, String(thrown), null, null));
    });
    return () => abort.abort();
  }, [client, attempt]);
  if (error !== null)
    return (
      <CenteredCard onSignOut={onSignOut}>
        <ErrorNotice error={error} onAgain={() => setAttempt(attempt + 1)} />
      </CenteredCard>
    );
  if (startInfo === null)
    return (
      <main class="sign-in" aria-busy="true">
        <Mark />
      </main>
    );
  if (!VIEWS.some(({ name }) => canOpen(startInfo.token, name)))
    return (
      <CenteredCard onSignOut={onSignOut}>
        <Empty title="This token cannot read anything">It can only write. Use a token with scopes for reading.</Empty>
      </CenteredCard>
    );
  if (startInfo.projects.length === 0) {
    return (
      <CenteredCard onSignOut={onSignOut}>
        <Empty title="Nothing is stored yet">
          Send the first event with <code>POST /v1/events</code>, then reload this page.
        </Empty>
      </CenteredCard>
    );
  }
  return <Frame {...props} {...startInfo} />;
}

function CenteredCard({ children, onSignOut }: { readonly children: ComponentChildren; readonly onSignOut: () => void }) {
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <Mark />
        {children}
        <button type="button" class="button" onClick={onSignOut}>
          Sign out
        </button>
      </div>
    </main>
  );
}

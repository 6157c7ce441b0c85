import type { ByProjectAnswer, ProjectsAnswer } from "./api/answers.js";
import { ApiError, ApiClient, asApiError } from "./api/client.js";
import { byProjectQuery, projectsQuery, tokenQuery, extentQuery, webQuery, type PageQuery } from "./api/queries.js";
import { hasScope, canOpen } from "./api/rights.js";
import { scopeOf } from "./state/view-state.js";
import { currentViewState, hasPeriod, useTheme, Mark, Frame, readStored, store, type FrameProps, type StartInfo } from "./frame.js";
import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { render, type ComponentChildren } from "preact";
import { Empty } from "../charts/notice.js";
import { ErrorNotice, Button, FormError } from "./parts/inline.js";
import { VIEWS } from "./views/table.js";

const RECENT_MS = 30 * 86_400_000;

/** Starts the first queries that the URL determines, to save a round trip. */
function prefetch(client: ApiClient, signal: AbortSignal): void {
  const viewState = currentViewState();
  const run = (query: PageQuery<unknown>) => void client.query(query, signal).catch(() => undefined);
  // The default project always exists and is often the only one.
  run(extentQuery(viewState.project === "" ? "default" : viewState.project, viewState.zone));
  if (viewState.view === "overview" && viewState.project !== "") run(webQuery(scopeOf(viewState, { nowMs: Date.now(), extent: null })));
}

async function loadStartInfo(client: ApiClient, signal: AbortSignal): Promise<StartInfo> {
  const { project } = currentViewState();
  const noProjects: ProjectsAnswer = { projects: [] };
  // A token that may not list projects uses its own project.
  const listed = client.query(projectsQuery, signal).catch((thrown: unknown) => {
    if (thrown instanceof ApiError && thrown.status === 403) return noProjects;
    throw thrown;
  });
  const countByProject = (since: string | null) => client.query(byProjectQuery(since), signal).catch(() => null);
  const sizes = project === "" ? countByProject(null) : null;
  const recent = hasPeriod() ? null : countByProject(new Date(Date.now() - RECENT_MS).toISOString());
  const [token, { projects }] = await Promise.all([client.query(tokenQuery, signal), listed]);
  const own = token.project ?? "default";
  if (!hasScope(token, "analytics:read")) return { token, projects: [own], firstProject: own, firstPeriod: "30d" };
  const firstProject = projects.includes(project) ? project : busiest(projects, await (sizes ?? countByProject(null)));
  const hasRecent = (await recent)?.data.some(({ property }) => property === firstProject) ?? true;
  return { token, projects, firstProject, firstPeriod: hasRecent ? "30d" : "all" };
}

/** The project with the most events. "default" exists even if it is empty. */
function busiest(projects: readonly string[], sizes: ByProjectAnswer | null): string {
  const [largest] = sizes?.data ?? [];
  return largest !== undefined && projects.includes(largest.property) ? largest.property : (projects[0] ?? "default");
}

/** Key in the session storage, the only place besides memory that holds the token: closing the tab discards it. */
const TOKEN_KEY = "daybook-token";

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

function firstState(): { readonly token: string | null; readonly reason: string | null } {
  const token = takeTokenFromUrl();
  if (token !== null) store("sessionStorage", TOKEN_KEY, token);
  return { token: token ?? readStored("sessionStorage", TOKEN_KEY), reason: null };
}

const SIGNED_OUT = "The server does not accept this token: it is unknown, expired or revoked.";

/** The sign-in form or the signed-in page. @param root of the API, without a trailing slash */
function App({ root }: { readonly root: string }) {
  const colors = useTheme();
  const [{ token, reason }, setState] = useState(firstState);
  const changeToken = useCallback((token: string | null, reason: string | null) => {
    store("sessionStorage", TOKEN_KEY, token);
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
  return <SignedIn key={client.token} client={client} colors={colors} onSignOut={() => changeToken(null, null)} />;
}

function SignIn({ reason, onToken }: { readonly reason: string | null; readonly onToken: (token: string) => void }) {
  const [token, setToken] = useState("");
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
        <FormError text={reason} />
        <label class="choice">
          <span class="label">Token</span>
          <input
            type="password"
            value={token}
            placeholder="sk_…"
            autoComplete="off"
            spellcheck={false}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
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

function SignedIn(props: Omit<FrameProps, keyof StartInfo>) {
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
      if (!abort.signal.aborted) setError(asApiError(thrown));
    });
    return () => abort.abort();
  }, [client, attempt]);
  let obstacle: ComponentChildren;
  if (error !== null) obstacle = <ErrorNotice error={error} onAgain={() => setAttempt(attempt + 1)} />;
  else if (startInfo === null)
    return (
      <main class="sign-in" aria-busy="true">
        <Mark />
      </main>
    );
  else if (!VIEWS.some(({ name }) => canOpen(startInfo.token, name)))
    obstacle = <Empty title="This token has no read scope">Sign in with a token that has at least <code>analytics:read</code>.</Empty>;
  else if (startInfo.projects.length === 0)
    obstacle = (
      <Empty title="Nothing is stored yet">
        Send the first event with <code>POST /v1/events</code>, then reload this page.
      </Empty>
    );
  else return <Frame {...props} {...startInfo} />;
  return (
    <main class="sign-in">
      <div class="sign-in-card">
        <Mark />
        {obstacle}
        <Button onClick={onSignOut}>Sign out</Button>
      </div>
    </main>
  );
}

const place = document.getElementById("page");
// Behind a proxy the page may be served below a path, with the API next to it.
const root = new URL(".", location.href).href.replace(/\/$/, "");
if (place !== null) render(<App root={root} />, place);

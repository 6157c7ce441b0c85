import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Client } from "../ask/client.js";
import { Inside } from "./inside.js";
import { useTheme } from "./theme.js";
import { keepToken, keptToken, takeTokenOfAddress } from "./token-keep.js";
import { WayIn } from "./way-in.js";

interface State {
  readonly token: string | null;
  readonly reason: string | null;
}

function firstState(): State {
  const token = takeTokenOfAddress();
  if (token !== null) keepToken(token);
  return { token: token ?? keptToken(), reason: null };
}

const SIGNED_OUT = "The server does not take this token: it is unknown, expired or revoked.";

/** The way in, or the page behind it. @param root of the API, without a slash at the end */
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
  const client = useMemo(() => (token === null ? null : new Client(root, token, () => enter(null, SIGNED_OUT))), [root, token]);
  // In the same turn: what is answered to the token before must not end this one.
  useLayoutEffect(() => () => client?.leave(), [client]);
  if (client === null) return <WayIn reason={reason} onToken={(given) => enter(given, null)} />;
  return <Inside key={client.token} client={client} theme={theme} themeShown={shown} onTheme={choose} onSignOut={() => enter(null, null)} />;
}

/** The token lives here and in the memory of the page, nowhere else: a tab that is closed has forgotten it. */
const NAME = "daybook-token";

/** The token of the fragment `#token=sk_…`, which is taken out of the address at once. */
export function takeTokenOfAddress(): string | null {
  const found = /^#token=([^&]+)/.exec(location.hash);
  if (found === null) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  try {
    return decodeURIComponent(found[1] ?? "");
  } catch {
    return null;
  }
}

export function keptToken(): string | null {
  try {
    return sessionStorage.getItem(NAME);
  } catch {
    return null;
  }
}

/** Where the browser keeps nothing, the token holds until the page is loaded anew. */
export function keepToken(token: string | null): void {
  try {
    if (token === null) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, token);
  } catch {
    return;
  }
}

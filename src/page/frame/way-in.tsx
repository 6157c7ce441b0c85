import { useState } from "preact/hooks";
import { Mark } from "./mark.js";

interface WayInProps {
  /** Why one stands here again; null: for the first time. */
  readonly reason: string | null;
  readonly onToken: (token: string) => void;
}

/** Asks for a token. */
export function WayIn({ reason, onToken }: WayInProps) {
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
        <p class="remark">Use a secret token of this server. It is kept in this tab until you sign out or close it, and sent to this server alone.</p>
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
          Make one: <code>daybook token create --role owner</code>
        </p>
      </form>
    </main>
  );
}

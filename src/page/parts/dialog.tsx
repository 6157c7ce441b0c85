import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "./inline.js";
import { ApiError } from "../ask/client.js";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Wider, for content to read. */
  readonly isWide?: boolean;
}

/** A modal dialog: the browser keeps the focus inside, closes it on Escape and restores the focus. */
export function Dialog({ title, onClose, children, isWide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog !== null && !dialog.open) dialog.showModal();
  }, []);
  // The dialog is the target only of clicks on its backdrop: its content covers the rest.
  const onClick = (event: MouseEvent) => {
    if (event.target === element.current) element.current?.close();
  };
  return (
    <dialog ref={element} class={isWide ? "dialog wide" : "dialog"} aria-labelledby={heading} onClose={onClose} onClick={onClick}>
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id={heading}>{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={() => element.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmationProps {
  readonly title: string;
  /** Text that the user must type; null: a click is enough. */
  readonly typed: string | null;
  readonly action: string;
  readonly isDanger: boolean;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Asks for confirmation of an action; for irreversible ones, the user must type a name. */
export function Confirmation({ title, typed, action, isDanger, onConfirm, onClose, children }: ConfirmationProps) {
  const [text, setText] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const read = (event: Event) => {
    if (event.target instanceof HTMLInputElement) setText(event.target.value);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy || (typed !== null && text !== typed)) return;
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      setError(thrown instanceof ApiError ? `${thrown.code}: ${thrown.detail}` : String(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {children}
        {typed !== null && (
          <label class="choice">
            <span class="label">
              Type <strong class="typed">{typed}</strong> to confirm
            </span>
            <input type="text" value={text} autoComplete="off" spellcheck={false} onInput={read} />
          </label>
        )}
        {error !== null && (
          <p class="form-error" role="alert">
            {error}
          </p>
        )}
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={isDanger ? "button danger" : "button primary"} disabled={isBusy || (typed !== null && text !== typed)}>
            {isBusy ? "…" : action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

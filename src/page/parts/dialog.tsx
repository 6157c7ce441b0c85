import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { errorText } from "../api/client.js";
import { TextField } from "./fields.js";
import { Button, FormError, IconButton } from "./inline.js";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
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
          <IconButton icon="close" label="Close" onClick={() => element.current?.close()} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmationProps {
  readonly title: string;
  /** Text that the user must type. Default: a click is enough. */
  readonly typed?: string | null;
  readonly action: string;
  readonly isDanger?: boolean;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Confirmation({ title, typed = null, action, isDanger = false, onConfirm, onClose, children }: ConfirmationProps) {
  const [text, setText] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const isComplete = typed === null || text === typed;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy || !isComplete) return;
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      setError(errorText(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {children}
        {typed !== null && (
          <TextField label={<>Type <strong class="typed">{typed}</strong> to confirm</>} value={text} onInput={setText} />
        )}
        <FormError text={error} />
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <button type="submit" class={isDanger ? "button danger" : "button primary"} disabled={isBusy || !isComplete}>
            {isBusy ? "…" : action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

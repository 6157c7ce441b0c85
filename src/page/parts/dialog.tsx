import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Icon } from "./icon.js";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** As a sheet at the side, for things to read. */
  readonly isWide?: boolean;
}

/** A window over the page: the browser keeps the focus within, closes it by Escape and gives the focus back. */
export function Dialog({ title, onClose, children, isWide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog !== null && !dialog.open) dialog.showModal();
  }, []);
  // A click beside the window has the dialog itself as its target: what is within covers it all.
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

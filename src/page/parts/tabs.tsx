import { useRef } from "preact/hooks";

interface TabsProps<T extends string> {
  readonly label: string;
  readonly names: readonly (readonly [T, string])[];
  readonly chosen: T;
  readonly onChoose: (name: T) => void;
}

/** A choice of one of a few names, side by side; arrow keys move between them. */
export function Tabs<T extends string>({ label, names, chosen, onChoose }: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = (names.findIndex(([name]) => name === chosen) + step + names.length) % names.length;
    const next = names[at];
    if (next === undefined) return;
    onChoose(next[0]);
    list.current?.querySelectorAll("button").item(at).focus();
  };
  return (
    <div class="tabs" role="radiogroup" aria-label={label} ref={list} onKeyDown={onKeyDown}>
      {names.map(([name, shown]) => (
        <button
          type="button"
          role="radio"
          key={name}
          aria-checked={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {shown}
        </button>
      ))}
    </div>
  );
}

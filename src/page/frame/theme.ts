import { useEffect, useState } from "preact/hooks";

const NAME = "daybook-theme";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

function keptTheme(): Theme {
  try {
    return THEMES.find((name) => name === localStorage.getItem(NAME)) ?? "auto";
  } catch {
    return "auto";
  }
}

function keepTheme(theme: Theme): void {
  try {
    if (theme === "auto") localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, theme);
  } catch {
    return;
  }
}

/** The colours: the reader's choice, or those of the system. `shown` changes with either. */
export function useTheme(): { readonly theme: Theme; readonly shown: string; readonly choose: (theme: Theme) => void } {
  const [theme, setTheme] = useState(keptTheme);
  const [isDark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => setDark(system.matches);
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, []);
  // Before anything is drawn: plots read the colours when they are created.
  document.documentElement.dataset["theme"] = theme;
  const choose = (chosen: Theme) => {
    keepTheme(chosen);
    setTheme(chosen);
  };
  return { theme, shown: theme === "auto" ? String(isDark) : theme, choose };
}

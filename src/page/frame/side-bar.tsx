import { useEffect, useRef } from "preact/hooks";
import { opens } from "../ask/rights.js";
import { Choice } from "../parts/field.js";
import { Icon } from "../parts/icon.js";
import { PictureLink } from "../parts/link.js";
import { usePage } from "../parts/page-context.js";
import { turnTo } from "../state/picture.js";
import { VIEWS } from "../views/table.js";
import { Mark } from "./mark.js";
import { THEMES, type Theme } from "./theme.js";

interface SideBarProps {
  readonly projects: readonly string[];
  readonly theme: Theme;
  readonly onTheme: (theme: Theme) => void;
  readonly onSignOut: () => void;
}

const THEME_NAMES = { auto: "Auto", light: "Light", dark: "Dark" } as const;

/** Project, views, colours, the way out. */
export function SideBar({ projects, theme, onTheme, onSignOut }: SideBarProps) {
  const { picture, token, go } = usePage();
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    // On small screens the links are one line, which may begin with others.
    const current = links.current?.querySelector<HTMLElement>("[aria-current]");
    if (current && links.current) links.current.scrollLeft = current.offsetLeft - links.current.clientWidth / 2;
  }, [picture.view]);
  const shown = VIEWS.filter(({ name }) => opens(token, name));
  return (
    <aside class="side" aria-label="Daybook">
      <div class="side-head">
        <Mark />
        <Choice
          label="Project"
          isBare
          value={picture.project}
          names={projects.map((name) => [name, name])}
          onChoose={(project) => go({ ...picture, project })}
        />
      </div>
      <nav aria-label="Views" ref={links}>
        {shown.map(({ name, title }) => (
          <PictureLink key={name} to={turnTo(picture, name)} class="nav-link" isCurrent={name === picture.view}>
            <Icon name={name} /> <span>{title}</span>
          </PictureLink>
        ))}
      </nav>
      <div class="side-foot">
        <span class="colours">
          <Icon name="sun" />
          <Choice label="Colours" isBare value={theme} names={THEMES.map((name) => [name, THEME_NAMES[name]])} onChoose={onTheme} />
        </span>
        <button type="button" class="quiet" onClick={onSignOut} title={`${token.organization}, ${token.role}`}>
          <Icon name="out" /> <span>Sign out</span>
        </button>
      </div>
    </aside>
  );
}

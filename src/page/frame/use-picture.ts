import { useCallback, useEffect, useState } from "preact/hooks";
import { addressOf, pictureOf } from "../state/address.js";
import type { PeriodName } from "../state/period.js";
import type { Picture } from "../state/picture.js";

const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The view state of the address. A missing zone becomes the browser's, which the address contains from then on. */
export function pictureHere(): Picture {
  const told = pictureOf(location.search);
  return told.zone === "" ? { ...told, zone: BROWSER_ZONE } : told;
}

/** Whether the address names a period. */
export function tellsPeriod(): boolean {
  return new URLSearchParams(location.search).has("period");
}

function write(picture: Picture, isNew: boolean): void {
  const address = addressOf(picture);
  const url = location.pathname + (address === "" ? "" : `?${address}`);
  if (isNew) history.pushState(null, "", url);
  else history.replaceState(null, "", url);
}

/** The view state, kept in sync with the address. @param firstPeriod used if the address names none */
export function usePicture(firstPeriod: PeriodName): {
  readonly picture: Picture;
  readonly go: (picture: Picture) => void;
  readonly settle: (picture: Picture) => void;
} {
  const [picture, setPicture] = useState(() => (tellsPeriod() ? pictureHere() : { ...pictureHere(), period: firstPeriod }));
  useEffect(() => {
    write(picture, false);
    const follow = () => setPicture(pictureHere());
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, []);
  const go = useCallback((next: Picture) => {
    if (addressOf(next) === addressOf(pictureHere())) return;
    const isOtherView = next.view !== pictureHere().view;
    write(next, true);
    setPicture(next);
    if (isOtherView) scrollTo(0, 0);
  }, []);
  const settle = useCallback((next: Picture) => {
    write(next, false);
    setPicture(next);
  }, []);
  return { picture, go, settle };
}

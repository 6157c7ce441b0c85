import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Formats } from "./format.js";

/** What charts take from the page that they are on. */
export interface Look {
  readonly formats: Formats;
  /** Changes with the colors: canvases are painted anew. */
  readonly theme: string;
}

export const LookContext = createContext<Look | null>(null);

export function useLook(): Look {
  const look = useContext(LookContext);
  if (look === null) throw new Error("useLook is called outside of a LookContext");
  return look;
}

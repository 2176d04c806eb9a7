// The screen: whether it is narrow, and style sheets that are loaded when they are first needed.

import { useEffect, useState } from "./vendor/preact.js";

const PANELS = "/static/panels.css";

/** @type {Map<string, Promise<unknown>>} */
const loading = new Map();

// Whether there is no room beside the table.
export function useNarrow() {
  const [query] = useState(() => matchMedia("(max-width: 900px)")); // as in style.css
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const look = () => setNarrow(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return narrow;
}

/**
 * Load a style sheet, once.
 * @param {string} address
 * @returns {Promise<unknown>} fulfilled when it is there, or when it can't be had
 */
export function loadStyle(address) {
  let loaded = loading.get(address);
  if (!loaded) {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address });
    loaded = new Promise((resolve) => {
      link.onload = link.onerror = resolve;
      document.head.append(link);
    });
    loading.set(address, loaded);
  }
  return loaded;
}

// The panels' style sheet comes with the first panel that is shown.
export const loadPanelStyle = () => loadStyle(PANELS);

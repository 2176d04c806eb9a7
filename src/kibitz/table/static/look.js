// How things look, as far as code decides it: the panels' style sheet, less motion if wanted, how the person last put something in.

import { keepSetting, setting } from "./api.js";
import { useEffect, useState } from "./vendor/preact.js";

const NARROW = matchMedia("(max-width: 900px)"); // as in style.css

// Whether there is no room beside the table.
export function useNarrow() {
  const [narrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const look = () => setNarrow(NARROW.matches);
    NARROW.addEventListener("change", look);
    return () => NARROW.removeEventListener("change", look);
  }, []);
  return narrow;
}

// The panels' style sheet comes with the first panel that is shown.
export function loadPanelStyle() {
  if (document.querySelector('link[href$="panels.css"]')) return Promise.resolve();
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/static/panels.css" });
  return new Promise((resolve) => {
    link.onload = link.onerror = resolve;
    document.head.append(link);
  });
}

export function setCalm(calm) {
  keepSetting("calm", calm);
  document.documentElement.classList.toggle("calm", calm);
}

export function setKeys(on) {
  keepSetting("keys", on);
  document.documentElement.classList.toggle("no-keys", !on);
}

// Keys are shown and the focus is led for people who use the keyboard.
export function watchInput() {
  const root = document.documentElement;
  root.classList.toggle("calm", setting("calm", false));
  root.classList.toggle("no-keys", !setting("keys", true));
  addEventListener("keydown", () => (root.dataset.input = "keys"), true);
  addEventListener("pointerdown", () => (root.dataset.input = "pointer"), true);
}

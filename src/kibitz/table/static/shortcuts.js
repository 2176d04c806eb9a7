// Keys of one letter, digit or sign: whether one was meant for the page, and how an element tells of its own.

import { dialogIsOpen } from "./modal.js";
import { keysAreOn } from "./settings.js";
import { useLayoutEffect } from "./vendor/preact.js";

/**
 * A key for `aria-keyshortcuts`, if it does something.
 * @param {string | number | undefined | null} key
 */
export const shortcut = (key) => (key && keysAreOn() ? String(key) : undefined);

/**
 * Whether a key pressed is meant for the page and not for a field or a window.
 * @param {KeyboardEvent} event
 */
export function isShortcut(event) {
  if (event.key.trim().length === 1 && !keysAreOn()) return false;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  const inField = event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]");
  return !inField && !dialogIsOpen();
}

/**
 * Hear of keys pressed anywhere on the page. At once and not after the next frame: the second of two keys may follow quickly.
 * @param {(event: KeyboardEvent) => void} press
 */
export function useKeydown(press, isOn = true) {
  useLayoutEffect(() => {
    if (isOn) addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}

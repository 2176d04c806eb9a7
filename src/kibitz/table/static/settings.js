// What this browser remembers of the person: settings by name, and those that change how the page looks and hears.
//
//   setting(name, fallback) · keepSetting(name, value)
//   setCalm(calm), setKeys(on), keysAreOn()      nothing moves on its own; keys of one letter
//   meaningsAreOn()                              whether lists of moves say what a move means under a convention
//   applySettings()                              once on the page (app.js does it)

/**
 * @param {string} name
 * @param {any} fallback
 * @returns {any}
 */
export function setting(name, fallback) {
  try {
    const kept = localStorage.getItem(`kibitz.${name}`);
    return kept === null ? fallback : JSON.parse(kept);
  } catch {
    return fallback;
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function keepSetting(name, value) {
  try {
    localStorage.setItem(`kibitz.${name}`, JSON.stringify(value));
  } catch {
    // a browser that keeps nothing still plays
  }
}

/** @param {boolean} calm */
export function setCalm(calm) {
  keepSetting("calm", calm);
  document.documentElement.classList.toggle("calm", calm);
}

/** @param {boolean} on */
export function setKeys(on) {
  keepSetting("keys", on);
  document.documentElement.classList.toggle("no-keys", !on);
}

// Keys of one letter, digit or sign can be turned off, for people who speak to the computer or hit keys by chance.
/** @returns {boolean} */
export const keysAreOn = () => setting("keys", true);

/** @returns {boolean} */
export const meaningsAreOn = () => setting("meanings", true);

// Keys are shown and the focus is led for people who use the keyboard.
export function applySettings() {
  const root = document.documentElement;
  root.classList.toggle("calm", setting("calm", false));
  root.classList.toggle("no-keys", !keysAreOn());
  addEventListener("keydown", () => (root.dataset.input = "keys"), true);
  addEventListener("pointerdown", () => (root.dataset.input = "pointer"), true);
}

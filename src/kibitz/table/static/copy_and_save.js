// Something taken along: a text that is copied, or saved as a file.
//
//   <CopyField label text rows />      a link in one line, or with rows a longer text
//   saveText(name, text, type)

import { html, useEffect, useRef, useState } from "./vendor/preact.js";

/**
 * @param {string} name
 * @param {string} text
 */
export function saveText(name, text, type = "application/json") {
  const address = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** @param {{ label: string, text: string, rows?: number }} props */
export function CopyField({ label, text, rows = 0 }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  const [said, setSaid] = useState("");
  useEffect(() => setSaid(""), [text]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied.");
    } catch {
      field.current?.select(); // without encryption a browser has no clipboard for pages, but most still have this
      setSaid(document.execCommand("copy") ? "Copied." : "Selected: copy it with the keyboard.");
    }
  };
  const shared = { ref: field, readonly: true, value: text, onFocus: (/** @type {any} */ event) => event.target.select() };
  return html`<div class=${rows ? "copy-field" : "copy"}>
    <label><span>${label}</span>${rows ? html`<textarea ...${shared} rows=${rows} spellcheck="false"></textarea>` : html`<input ...${shared} type="text" />`}</label>
    <button type="button" class="button" onClick=${copy}>Copy</button> <span class="muted" role="status">${said}</span>
  </div>`;
}

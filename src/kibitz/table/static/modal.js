// A window over the page: <Modal title onClose>…</Modal>. The browser's own <dialog> keeps the focus inside and gives it back.

import { html, useEffect, useId, useRef } from "./vendor/preact.js";

/** @param {{ title: string, onClose: () => unknown, children?: any, wide?: boolean, kind?: string }} props */
export function Modal({ title, onClose, children, wide = false, kind = "" }) {
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    if (!box.current?.open) box.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  const away = (/** @type {Event} */ event) => event.target === box.current && onClose();
  return html`<dialog ref=${box} class=${`modal ${wide ? "wide" : ""} ${kind}`} aria-labelledby=${id} onClose=${onClose} onClick=${away}>
    <div class="modal-body">
      <header class="modal-head">
        <h2 id=${id}>${title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick=${onClose}><span aria-hidden="true">✕</span></button>
      </header>
      ${children}
    </div>
  </dialog>`;
}

export const dialogIsOpen = () => document.querySelector("dialog[open]") !== null;

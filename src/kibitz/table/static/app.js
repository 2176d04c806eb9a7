// The page as a whole: which part is shown for which address, the header and footer around it, and what goes wrong.

import { Shapes } from "./card_art.js";
import { useGames } from "./faces.js";
import { Lobby } from "./lobby.js";
import { loadPanelStyle } from "./screen.js";
import { say, ScreenReader } from "./screen_reader.js";
import { applySettings } from "./settings.js";
import { html, render, useEffect, useErrorBoundary, useRef, useState } from "./vendor/preact.js";

/** @typedef {{ path: string, missing?: boolean, failed?: boolean, Page?: any, id?: string, query?: URLSearchParams, wide?: boolean }} Shown */

// Everything but the lobby is loaded when it is first asked for.
const PAGES = [
  { pattern: /^\/?$/, title: "Kibitz", load: async () => Lobby },
  { pattern: /^\/table\/([\w-]+)$/, title: "Table", load: async () => (await import("./table.js")).TablePage, wide: true },
  { pattern: /^\/watch$/, title: "Watch", load: async () => (await import("./films.js")).WatchPage, panels: true, wide: true },
  { pattern: /^\/replay$/, title: "Replay", load: async () => (await import("./films.js")).ReplayPage, panels: true, wide: true },
  { pattern: /^\/guide\/([\w-]+)$/, title: "How to play", load: async () => (await import("./guide.js")).GuidePage },
  { pattern: /^\/runs$/, title: "Runs", load: async () => (await import("./runs.js")).RunsPage, panels: true },
  { pattern: /^\/runs\/([\w.-]+)$/, title: "Run", load: async () => (await import("./runs.js")).RunPage, panels: true },
];

const LINKS = [
  ["#/", "Play"],
  ["#/watch", "Watch"],
  ["#/replay", "Replay"],
  ["#/runs", "Runs"],
];

function address() {
  const [path, ...rest] = location.hash.replace(/^#/, "").split("?");
  return { path: path || "/", query: new URLSearchParams(rest.join("?")) };
}

/** @param {string} path */
function pageOf(path) {
  for (const page of PAGES) {
    const found = page.pattern.exec(path);
    if (found) return { page, id: found[1] };
  }
  return { page: null };
}

function usePage() {
  const [shown, setShown] = useState(/** @type {Shown | null} */ (null));
  useEffect(() => {
    let latest = 0;
    const change = async () => {
      const mine = ++latest;
      const { path, query } = address();
      const { page, id } = pageOf(path);
      if (!page) return setShown({ missing: true, path });
      try {
        const [Page] = await Promise.all([page.load(), page.panels ? loadPanelStyle() : null]);
        if (mine !== latest) return;
        document.title = page.title === "Kibitz" ? "Kibitz: play cards with bots" : `${page.title} · Kibitz`;
        setShown({ Page, id, query, path, wide: page.wide });
      } catch {
        if (mine === latest) setShown({ failed: true, path });
      }
    };
    addEventListener("hashchange", change);
    change();
    return () => removeEventListener("hashchange", change);
  }, []);
  return shown;
}

/** @param {{ path: string }} props */
function Header({ path }) {
  const under = (/** @type {string} */ link) =>
    link === "#/" ? path === "/" || path.startsWith("/table") || path.startsWith("/guide") : path.startsWith(link.slice(1));
  return html`<header class="top">
    <a class="skip" href="#main" onClick=${(event) => {
      event.preventDefault();
      document.getElementById("main")?.focus();
    }}>Skip to the table</a>
    <a class="brand" href="#/"><img src="/static/favicon.svg" alt="" width="28" height="28" />Kibitz</a>
    <nav aria-label="Main">
      ${LINKS.map(([link, text]) => html`<a key=${link} href=${link} aria-current=${under(link) ? "page" : undefined}>${text}</a>`)}
    </nav>
  </header>`;
}

/** @param {{ children?: any }} props */
function Failure({ children }) {
  return html`<div class="sheet narrow"><h1>Something is missing</h1><p>${children}</p><p><a class="button" href="#/">Back to the lobby</a></p></div>`;
}

/** @param {{ shown: Shown }} props */
function Shown({ shown }) {
  const [error, reset] = useErrorBoundary((thrown) => console.error(thrown));
  useEffect(() => {
    if (error) reset();
  }, [shown]);
  if (error) return html`<${Failure}>This page stumbled: ${String(error.message ?? error)}. Reloading it usually helps.<//>`;
  if (shown.missing) return html`<${Failure}>There is no page at ${shown.path}.<//>`;
  if (shown.failed) return html`<${Failure}>This page could not be loaded; is the server still running?<//>`;
  return html`<${shown.Page} key=${shown.path} id=${shown.id} query=${shown.query} />`;
}

// What has to be said of a game, such as whose trademark it is.
function Notices() {
  const [list] = useGames();
  return html`<p>${(list ?? [])
    .map((game) => game.notice)
    .filter(Boolean)
    .join(" ")}</p>`;
}

function App() {
  const shown = usePage();
  const main = useRef(/** @type {HTMLElement | null} */ (null));
  const before = useRef(/** @type {string | null} */ (null));
  useEffect(() => {
    if (!shown) return;
    if (before.current !== null && before.current !== shown.path) {
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
      say(document.title);
    }
    before.current = shown.path;
  }, [shown]);
  return html`
    <${Shapes} />
    <${Header} path=${shown?.path ?? address().path} />
    <main id="main" tabindex="-1" ref=${main} class=${shown?.wide ? "wide" : ""}>
      ${shown ? html`<${Shown} shown=${shown} />` : html`<p class="waiting" role="status">Shuffling…</p>`}
    </main>
    <footer class="bottom">
      <${Notices} />
      <p><a href="/api">API</a></p>
    </footer>
    <${ScreenReader} />`;
}

applySettings();
render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById("app")));

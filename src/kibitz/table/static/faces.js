// Games in the browser: a game's own module is loaded when its board is first shown; what it leaves out is games/plain.js's.
//
//   await loadFace("name")      → a Face (types.d.ts)
//   useFace("name")             → [face, failed]: null and false while it is being loaded
//   useGames()                  → [the list of GET /api/games, what went wrong]
//   titleIn(list, "name")       a game's title

import { games, useAnswer } from "./api.js";
import { loadStyle } from "./screen.js";

/** @import { Face, Game } from "./types.js" */

/** @type {Map<string, Promise<Face>>} */
const loading = new Map();

/** @param {string} name */
async function load(name) {
  const game = (await games()).find((each) => each.name === name);
  if (!game) throw new Error(`There is no game ${name}.`);
  const [plain, own] = await Promise.all([import("./games/plain.js"), game.face && import(game.face), game.style && loadStyle(game.style)]);
  return { ...plain, ...own, game };
}

/** @param {string} name */
export function loadFace(name) {
  const found = loading.get(name) ?? load(name);
  loading.set(name, found);
  found.catch(() => loading.delete(name)); // the next who asks tries again
  return found;
}

/**
 * @param {string | undefined} name
 * @returns {[Face | null, boolean]}
 */
export function useFace(name) {
  const [face, problem] = useAnswer(() => (name ? loadFace(name) : null), [name]);
  return [face, Boolean(problem)];
}

/** @returns {[Game[] | null, string]} */
export const useGames = () => useAnswer(games, []);

/**
 * @param {Game[] | null} list
 * @param {string} name
 */
export const titleIn = (list, name) => list?.find((each) => each.name === name)?.title ?? name;

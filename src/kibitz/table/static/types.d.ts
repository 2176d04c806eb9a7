// Shapes that several modules share, for `tsc`: what the server sends, and what a game's own module offers the pages.

import type { ComponentType } from "preact";

/** A game as GET /api/games lists it. */
export interface Game {
  name: string;
  title: string;
  about: string;
  notice: string;
  min_players: number;
  max_players: number;
  cooperative: boolean;
  has_contests: boolean;
  default_rules: string;
  presets: { name: string; about: string; switches: Record<string, string> }[];
  switches: Switch[];
  bots: BotShown[];
  /** Bots of the server's owner, for tables only. */
  offered: BotShown[];
  adviser: string;
  advisers: Record<string, string>;
  also_asked: string[];
  suggested: { table: string[]; rules: string; film: string[]; run: string[] };
  /** Addresses: the game's own module and style sheet, null if it has none, and pictures of its cards. */
  face: string | null;
  style: string | null;
  pictures: string[];
  guide: Guide | null;
}

/** How a bot plays, for people who play with it; pictures are addresses, empty where there is none. */
export interface Guide {
  bot: string;
  title: string;
  about: string;
  parts: { heading: string; text: string; picture: string; alt: string }[];
}

export interface Switch {
  name: string;
  about: string;
  values: { name: string; about: string }[];
  low: number | null;
  high: number | null;
  default: string;
}

export interface BotShown {
  name: string;
  about: string;
  presets: string[];
  searches: boolean;
  cheats: boolean;
  min_players: number;
  max_players: number;
}

/** What a seat or a spectator sees: a view message of the protocol. Everything else in it is the game's own. */
export interface View {
  seat: number | null;
  current: number;
  status: string;
  [more: string]: any;
}

/** How a deal stands or ended. */
export interface Outcome {
  status: string;
  winner?: number | null;
  points?: number;
  score?: number;
}

export interface Ending extends Outcome {
  text?: string[];
  hands?: any[][];
  scores?: number[];
  finished?: boolean;
  record?: string | null;
  live?: unknown;
}

/** A position of a live table, as it is shown: of a `position` message, with every `update` since put over it. */
export interface Position {
  type: "position" | "update";
  game: string;
  table: string;
  deal: number;
  position: number;
  seat: number | null;
  names: string[];
  kinds: string[];
  present: boolean[];
  scores: number[];
  to?: string | null;
  view: View;
  legal?: string[];
  decision?: { phase: string; question: string; why_not: Record<string, string> } | null;
  over?: Ending | null;
  events?: GameEvent[];
  words?: string[];
  log?: string[];
  notes?: Record<string, string>;
  rules?: any;
  open?: boolean;
  hands?: any[][];
  waiting?: number[];
}

export interface GameEvent {
  kind: string;
  seat: number;
  count?: number;
  [more: string]: any;
}

/** A film as POST /api/films gives it. */
export interface Film {
  game: string;
  rules: any;
  names: string[];
  to: string | null;
  deal: number;
  is_last: boolean;
  record: string | null;
  record_json: string | null;
  live?: unknown;
  seed: string | null;
  frames: Frame[];
  outcome: Outcome | null;
  ending: string | null;
}

export interface Frame {
  position: number;
  seat: number | null;
  action: string | null;
  substitute: boolean;
  words: string[];
  events: GameEvent[];
  to_act: number | null;
  legal: string[];
  view: View;
  hands: any[][];
  explanation: any;
}

/** Whose action is put into words, and what that seat saw. */
export interface Asked {
  names?: string[];
  seat?: number;
  view?: View;
  /** The server's words for the action, where it sent some. */
  text?: string;
}

/** What a board is given. */
export interface BoardProps {
  view: View;
  names: string[];
  kinds?: string[];
  present?: boolean[];
  /** Who sits at the bottom: by default the viewer, or seat 0. */
  seat?: number;
  /** Open hands by seat; null where they stay hidden. */
  hands?: any[][] | null;
  rules?: any;
  legal?: string[];
  decision?: Position["decision"];
  /** Without it the board is read-only. */
  onAct?: ((action: string) => unknown) | null;
  onNote?: ((place: number, text: string) => unknown) | null;
  events?: GameEvent[];
  /** A number that changes with every position. */
  step?: number;
  scores?: number[];
  to?: string | null;
  notes?: Record<string, string>;
  /** A sentence shown instead of who is thinking. */
  note?: string;
  /** Advice, where there is no room beside the table. */
  sheet?: any;
}

/**
 * A game in the browser. A game's own module (`face` in GET /api/games) exports whichever of these it does in its own way;
 * games/plain.js has all the others.
 */
export interface FaceModule {
  Board: ComponentType<any>;
  /** Keys of the board, and what they do. */
  keys: [string, string][];
  /** Finds the cards in a sentence; one group. null: there is nothing to find. */
  cardPattern: RegExp | null;
  /** The short name of a card that was found. */
  cardNamed(text: string): string;
  cardText(card: string): string;
  CardTag: ComponentType<any>;
  actionText(action: string, asked: Asked): string;
  ActionName: ComponentType<any>;
  /** A position of a film as a seat sees it, or with null as somebody who sees all hands; null if the game can't tell. */
  viewOf: ((frame: Frame, viewer: number | null) => View) | null;
  /** Whether the end is one to celebrate, and its heading. */
  isGood(position: Position): boolean;
  endTitle(position: Position): string;
  /** The result of a film in which nobody wins alone. */
  resultText(outcome: Outcome): string;
  /** A hand at the end of a deal: a remark on it, its cards drawn, and its cards in words. */
  heldText(hand: any[]): string;
  HeldCards: ComponentType<any>;
  handText(hand: any[]): string;
  /** Further forms in which a film, or a finished game, can be saved. */
  exportsOf(game: { live?: unknown }): { label: string; file: string; text: string }[];
}

export interface Face extends FaceModule {
  game: Game;
}

/** A connection of api.js. */
export interface Socket {
  reason: string;
  welcome: any;
  ask(message: object): Promise<any>;
  stream(message: object, onReply: (reply: any) => void): () => void;
  close(): void;
}

/** An action in a table of advice, with what it is worth. */
export interface Row {
  action: string;
  text?: string;
  value: number | null;
  error?: number | null;
  best?: boolean;
}

/** A decision of a whole game, judged. */
export interface Judgement {
  position: number;
  seat: number;
  action: string;
  text: string;
  best: string;
  best_text: string;
  value: number;
  value_error: number;
  cost: number;
  error: number;
  convention?: string;
  convention_broken?: boolean;
}

/** A table as GET /api/tables lists it. */
export interface TableInfo {
  table: string;
  game: string;
  status: string;
  to: string | null;
  you: number | null;
  owner: boolean;
  following?: string | null;
  seats: { seat: number; kind: string; name: string; present: boolean }[];
}

/** A run as the server tells of it. */
export interface Run {
  run: string;
  kind: string;
  game: string;
  title?: string;
  command: string;
  status: string;
  reason?: string;
  own?: boolean;
  done: number;
  asked: number | null;
  started: number;
  ended?: number | null;
  rate?: number | null;
  seconds?: number | null;
  seconds_left?: number | null;
  rows: RunRow[];
}

export interface RunRow {
  bot: string;
  games: number;
  wins?: number | null;
  win_rate?: number | null;
  mean?: number | null;
  error?: number | null;
}

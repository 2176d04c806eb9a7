// What the forms of the lobby, of films and of runs have in common: which game, which bots, which rules.
//
//   <GameChoice list game onChoose />                        pictures to choose from; list of /api/games
//   <Switch each usual value onChange />                     one switch of the rules; "" leaves it as usual
//   <BotSelect id game players value onChange cheats />      one of the game's bots, with its presets; cheats: also those that see all
//   <RulesField game value onChange>…</RulesField>           a preset and switches, as text: "" for the usual rules; more fields may stand inside
//   rulesText(preset, switches)                              that text
//   <Picture address />                                      a card of a game
//   fits(bot, players), namesOf(bot)                         whether a bot plays at such a table; its name alone and with each preset
//   aboutBot(game, name)                                     what it does, in short

import { CardBack } from "./card_art.js";
import { html, useId } from "./vendor/preact.js";

/** @import { BotShown, Game, Switch as RuleSwitch } from "./types.js" */

// A picture of a card; of a game that has none, any card from behind.
/** @param {{ address?: string }} props */
export function Picture({ address }) {
  return address ? html`<img class="card" src=${address} alt="" width="100" height="150" />` : html`<${CardBack} label="" />`;
}

/** @param {Game} game */
const playersText = ({ min_players: least, max_players: most }) => `${least === most ? least : `${least} to ${most}`} players.`;

/** @param {{ list: Game[], game: string, onChoose: (name: string) => void }} props */
export function GameChoice({ list, game, onChoose }) {
  const id = useId();
  return html`<fieldset class="game-choice"><legend class="unseen">Game</legend>
    ${list.map(
      (each) => html`<label key=${each.name} class=${each.name === game ? "on" : ""}>
      <input type="radio" name=${id} value=${each.name} checked=${each.name === game} onChange=${() => onChoose(each.name)} />
      <span class="game-card"><${Picture} address=${each.pictures[0]} /></span>
      <span><b>${each.title}</b><small>${each.about} ${playersText(each)}</small></span>
    </label>`,
    )}
  </fieldset>`;
}

/** @param {unknown} name */
const readable = (name) => String(name).replaceAll("_", " ");

/** @param {{ each: RuleSwitch, usual: string, value?: string, onChange: (value: string) => void }} props */
export function Switch({ each, usual, value = "", onChange }) {
  return html`<label class="switch"><span><b>${readable(each.name)}</b> <small>${each.about}</small></span>
    ${
      each.values.length
        ? html`<select value=${value} onChange=${(event) => onChange(event.target.value)}>
          <option value="" selected=${value === ""}>as usual: ${readable(usual)}</option>
          ${each.values.map((one) => html`<option key=${one.name} value=${one.name} selected=${one.name === value} title=${one.about}>${readable(one.name)}</option>`)}
        </select>`
        : html`<input type="number" min=${each.low} max=${each.high} placeholder=${usual} value=${value} onInput=${(event) => onChange(event.target.value)} />`
    }
  </label>`;
}

/** @param {BotShown} bot */
export const namesOf = (bot) => [bot.name, ...(bot.presets ?? []).map((preset) => `${bot.name}:${preset}`)];

/**
 * @param {BotShown} bot
 * @param {number} players
 */
export function fits(bot, players) {
  return (bot.min_players ?? 2) <= players && players <= (bot.max_players ?? 10);
}

/**
 * @param {Game} game
 * @param {string} name with its preset, if it has one
 */
export const aboutBot = (game, name) =>
  (game.offered.find((bot) => bot.name === name) ?? game.bots.find((bot) => bot.name === name.split(":")[0]))?.about.replaceAll("`", "") ??
  "";

/** @param {{ id?: string, game: Game, players: number, value: string, onChange: (name: string) => void, cheats?: boolean }} props */
export function BotSelect({ id, game, players, value, onChange, cheats = false }) {
  const listed = game.bots.filter((bot) => (cheats || !bot.cheats) && fits(bot, players));
  const groups = /** @type {[string, BotShown[]][]} */ ([
    ["Quick", listed.filter((bot) => !bot.searches && !bot.cheats)],
    ["Search before each move", listed.filter((bot) => bot.searches && !bot.cheats)],
    ["See all cards", listed.filter((bot) => bot.cheats)],
  ]);
  const about = aboutBot(game, value);
  const known = listed.flatMap(namesOf);
  return html`<span class="bot-select">
    <select id=${id} value=${value} onChange=${(event) => onChange(event.target.value)}>
      ${!known.includes(value) && html`<option value=${value} selected>${value}</option>`}
      ${groups
        .filter(([, bots]) => bots.length)
        .map(
          ([title, bots]) => html`<optgroup key=${title} label=${title}>
            ${bots.flatMap(namesOf).map((name) => html`<option key=${name} value=${name} selected=${name === value}>${name}</option>`)}
          </optgroup>`,
        )}
    </select>
    ${about && html`<small class="muted about" title=${about}>${about}</small>`}
  </span>`;
}

// The text is a preset with switches after it, `official,stacking=progressive`, as everywhere else.
/**
 * @param {string} preset
 * @param {Record<string, string>} changed
 */
export const rulesText = (preset, changed) => [preset, ...Object.entries(changed).map(([name, value]) => `${name}=${value}`)].join(",");

/**
 * @param {string} text
 * @returns {[string, Record<string, string>]}
 */
function read(text) {
  const [preset, ...switches] = text.split(",");
  return [preset, Object.fromEntries(switches.map((each) => each.split("=")))];
}

/** @param {{ game: Game, value: string, onChange: (rules: string) => void, children?: any }} props */
export function RulesField({ game, value, onChange, children }) {
  const id = useId();
  const [name, changed] = read(value || game.default_rules);
  const preset = game.presets.find((each) => each.name === name);
  const turn = (/** @type {string} */ which, /** @type {string} */ to) => {
    const { [which]: _, ...others } = changed;
    onChange(rulesText(name, to === "" ? others : { ...others, [which]: to }));
  };
  const count = Object.keys(changed).length;
  return html`<fieldset class="rules-choice"><legend>Rules</legend>
    <label><span>Preset</span><select value=${name} aria-describedby=${id} onChange=${(event) => onChange(event.target.value)}>
      ${game.presets.map((each) => html`<option key=${each.name} value=${each.name} selected=${each.name === name}>${each.name}</option>`)}</select></label>
    <small id=${id}>${preset?.about}</small>
    ${children}
    ${
      game.switches?.length > 0 &&
      html`<details><summary>House rules${count ? `: ${count} changed` : ""}</summary>
      <div class="switches">${game.switches.map(
        (each) => html`<${Switch} key=${each.name} each=${each} usual=${preset?.switches?.[each.name] ?? each.default}
        value=${changed[each.name]} onChange=${(to) => turn(each.name, to)} />`,
      )}</div>
      ${count > 0 && html`<button type="button" class="quiet" onClick=${() => onChange(name)}>Undo all</button>`}
    </details>`
    }
  </fieldset>`;
}

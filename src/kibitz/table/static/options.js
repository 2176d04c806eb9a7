// What the lobby and the other forms have in common: which game, a switch of its rules, the names of its bots.
//
//   <GameChoice list game onChoose />               pictures to choose from; list of /api/games
//   <Switch each usual value onChange />            one switch of the rules; "" leaves it as usual
//   fits(bot, players), namesOf(bot)                whether a bot plays at such a table; its name alone and with each preset

import { HanabiCard, UnoCard } from "./cards.js";
import { html, useId } from "./vendor/preact.js";

const ABOUT = {
  uno: "Get rid of your cards first.",
  hanabi: "Build the fireworks together; you see every hand but your own.",
};

export function GameChoice({ list, game, onChoose }) {
  const id = useId();
  return html`<fieldset class="game-choice"><legend class="unseen">Game</legend>
    ${list.map(
      (each) => html`<label key=${each.name} class=${each.name === game ? "on" : ""}>
      <input type="radio" name=${id} value=${each.name} checked=${each.name === game} onChange=${() => onChoose(each.name)} />
      <span class="game-card" aria-hidden="true">${each.name === "hanabi" ? html`<${HanabiCard} card="B3" label="" />` : html`<${UnoCard} card="r4" label="" />`}</span>
      <span><b>${each.title}</b><small>${ABOUT[each.name] ?? ""} ${each.min_players} to ${each.max_players} players.</small></span>
    </label>`,
    )}
  </fieldset>`;
}

const readable = (name) => String(name).replaceAll("_", " ");

export function Switch({ each, usual, value = "", onChange }) {
  const values = (each.values ?? []).map((one) => (typeof one === "string" ? { name: one } : one));
  return html`<label class="switch"><span><b>${readable(each.name)}</b> <small>${each.about}</small></span>
    ${
      values.length
        ? html`<select value=${value} onChange=${(event) => onChange(event.target.value)}>
          <option value="" selected=${value === ""}>as usual: ${readable(usual)}</option>
          ${values.map((one) => html`<option key=${one.name} value=${one.name} selected=${one.name === value} title=${one.about}>${readable(one.name)}</option>`)}
        </select>`
        : html`<input type="number" min=${each.low} max=${each.high} placeholder=${usual} value=${value} onInput=${(event) => onChange(event.target.value)} />`
    }
  </label>`;
}

export const namesOf = (bot) => [bot.name, ...(bot.presets ?? []).map((preset) => `${bot.name}:${preset}`)];

export function fits(bot, players) {
  return (bot.min_players ?? 2) <= players && players <= (bot.max_players ?? 10);
}

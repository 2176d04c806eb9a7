// Fields that the forms of films and runs share: which bot, which rules.
//
//   <BotSelect id game players value onChange cheats />      one of the game's bots, with its presets; cheats: also those that see all
//   <RulesField game value onChange />                       a preset and switches, as text: "" for the usual rules

import { fits, namesOf, Switch } from "./options.js";
import { html, useId } from "./vendor/preact.js";

export function BotSelect({ id, game, players, value, onChange, cheats = false }) {
  const listed = game.bots.filter((bot) => (cheats || !bot.cheats) && fits(bot, players));
  const groups = [
    ["Quick", listed.filter((bot) => !bot.searches && !bot.cheats)],
    ["Search before each move", listed.filter((bot) => bot.searches && !bot.cheats)],
    ["See all cards", listed.filter((bot) => bot.cheats)],
  ];
  const about = game.bots.find((bot) => bot.name === value.split(":")[0])?.about;
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
const written = (preset, changed) => [preset, ...Object.entries(changed).map(([name, value]) => `${name}=${value}`)].join(",");

function read(text) {
  const [preset, ...switches] = text.split(",");
  return [preset, Object.fromEntries(switches.map((each) => each.split("=")))];
}

export function RulesField({ game, value, onChange }) {
  const id = useId();
  const [name, changed] = read(value || game.default_rules);
  const preset = game.presets.find((each) => each.name === name);
  const set = (next, switches) => onChange(written(next, switches));
  const turn = (which, to) => {
    const { [which]: _, ...others } = changed;
    set(name, to === "" ? others : { ...others, [which]: to });
  };
  const count = Object.keys(changed).length;
  return html`<fieldset class="rules-choice">
    <legend>Rules</legend>
    <label class="field" for=${`${id}-preset`}>
      <span class="unseen">Preset</span>
      <select id=${`${id}-preset`} value=${name} onChange=${(event) => set(event.target.value, {})}>
        ${game.presets.map((each) => html`<option key=${each.name} value=${each.name} selected=${each.name === name}>${each.name}</option>`)}
      </select>
      ${preset?.about && html`<small class="muted">${preset.about}</small>`}
    </label>
    ${game.switches?.length > 0 &&
    html`<details>
      <summary>House rules${count ? `: ${count} changed` : ""}</summary>
      <div class="switches">
        ${game.switches.map(
          (each) => html`<${Switch}
            key=${each.name}
            each=${each}
            usual=${preset?.switches?.[each.name] ?? each.default}
            value=${changed[each.name]}
            onChange=${(to) => turn(each.name, to)}
          />`,
        )}
      </div>
    </details>`}
  </fieldset>`;
}

// How seats are called where several may have the same name.

/**
 * Two bots of a kind are told apart by their seats, as the server does it in words: ["random (0)", "random (1)"].
 * @param {string[]} names
 */
export function distinctNames(names) {
  return names.map((name, seat) => (names.filter((each) => each === name).length > 1 ? `${name} (${seat})` : name));
}

/**
 * A name that fits a chart: without its preset where it is still the only one of that name, else with the seat, as at the table.
 * @param {string[]} names
 * @param {number} seat
 */
export function shortName(names, seat) {
  const plain = (/** @type {string} */ name) => name.split(":")[0];
  const isAlone = (/** @type {(name: string) => string} */ of) => names.filter((name) => of(name) === of(names[seat])).length === 1;
  if (isAlone(plain)) return plain(names[seat]);
  return isAlone(String) ? names[seat] : `${plain(names[seat])} (${seat})`;
}

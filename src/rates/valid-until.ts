import { parseIsoInstant } from "../time/iso-instant.ts";

const DAY_MS = 86_400_000;
const TIME_OF_DAY = /\d:\d/;

/**
 * Until when a license is valid, epoch ms. A date without a time names a day, and the rights last to its end in UTC. Texts that are not
 * ISO 8601 are read as far as JavaScript reads them. Null: the text does not name an instant.
 */
export function parseValidUntil(text: string | null): number | null {
  const iso = parseIsoInstant(text);
  if (iso !== null) {
    return iso.hasTime ? iso.at : iso.at + DAY_MS;
  }
  if (text === null) {
    return null;
  }
  const hasTime = TIME_OF_DAY.test(text);
  const at = Date.parse(hasTime ? text : `${text} UTC`);
  return Number.isNaN(at) ? null : hasTime ? at : at + DAY_MS;
}

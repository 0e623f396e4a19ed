/** UTC periods by the checkers' own calendar, named as the ledger's balances name them. */

const DAY_MS = 86_400_000;
const named = new Map<number, readonly string[]>();

/** The four periods of an instant: its day, its week (from Monday, ISO 8601), its month, and all time. */
export function periodsOf(at: number): readonly string[] {
  const day = Math.floor(at / DAY_MS);
  let periods = named.get(day);
  if (periods === undefined) {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    periods = [`day:${date}`, `week:${isoWeek(day * DAY_MS)}`, `month:${date.slice(0, 7)}`, "total"];
    named.set(day, periods);
  }
  return periods;
}

/** A week is numbered in the year of its Thursday: the year's n-th Thursday is in its n-th week. */
function isoWeek(dayAt: number): string {
  const thursday = new Date(dayAt);
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const year = thursday.getUTCFullYear();
  const dayOfYear = (thursday.getTime() - Date.UTC(year, 0, 1)) / DAY_MS;
  return `${year}-W${String(1 + Math.floor(dayOfYear / 7)).padStart(2, "0")}`;
}

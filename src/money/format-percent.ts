const PERCENT_DECIMALS = 4;

/** Writes a proportion in parts per million as percent, exactly: 25,000 is `2.5`. The digits are moved as text, never through a float. */
export function formatPercent(ppm: number): string {
  const digits = String(ppm).padStart(PERCENT_DECIMALS + 1, "0");
  const decimals = digits.slice(-PERCENT_DECIMALS).replace(/0+$/, "");
  return `${digits.slice(0, -PERCENT_DECIMALS)}${decimals === "" ? "" : `.${decimals}`}`;
}

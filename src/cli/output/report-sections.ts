/** Parts that the output of several commands shares. */

import { plainText } from "../../plain-text.ts";
import { type Layout, PLAIN_LAYOUT } from "./layout.ts";
import { wrapText } from "./text-table.ts";

/** `[count, name]` rows, the largest first. */
export function byCount(counts: Readonly<Record<string, number>>): string[][] {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => [String(count), name]);
}

/** A part of an output with a title. Nothing when it is empty. */
export function section(title: string, body: string, { columns }: Pick<Layout, "columns"> = PLAIN_LAYOUT): string[] {
  return body === "" ? [] : [`\n${wrapText(`${title}:`, columns).join("\n")}\n`, body];
}

/** How many rows of each kind a summary lists. */
const MAX_SHOWN = 10;

/** A list, and the command that lists all of it. */
export interface Excerpt<Item> {
  readonly items: readonly Item[];
  /** How many there are, listed or not. */
  readonly total: number;
  readonly command: string;
}

/** The first rows of a list. */
export function firstFew<Item>(excerpt: Excerpt<Item>): Excerpt<Item> {
  return { ...excerpt, items: excerpt.items.slice(0, MAX_SHOWN) };
}

/** `  and 223 more: licet status --all`. Empty when everything is listed. */
export function formatMore({ items, total, command }: Excerpt<unknown>, { columns }: Pick<Layout, "columns">): string {
  if (total <= items.length) {
    return "";
  }
  const more = `  and ${total - items.length} more:`;
  const clean = plainText(command);
  // A command that is broken in two cannot be copied.
  return more.length + 1 + clean.length > columns ? `${more}\n    ${clean}\n` : `${more} ${clean}\n`;
}

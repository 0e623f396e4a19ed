/**
 * Which pages bring the most value for the money that is left (`run.order: value`). Buying by value per price alone can miss much: a cheap page
 * may leave no room for one that is worth more than all others. So several choices are made, and the best one is taken: by value per price, by
 * value, and, where the pages are few, the best of all choices, found by search under an upper bound.
 */
import type { Money } from "../money/money.ts";
import type { BuyingLimits } from "./limits.ts";
import { searchMostValue } from "./search-most-value.ts";

export interface ValuedPage {
  readonly host: string;
  readonly cost: Money;
  /** Greater than 0. */
  readonly value: number;
}

/** Pages among which the best choice is searched for. */
const MAX_SEARCHED = 400;

/**
 * @param pages the best value per price first
 * @param limits what is left, anew for each choice
 * @returns the positions of the chosen pages, in the order of `pages`
 */
export function chooseMostValue(pages: readonly ValuedPage[], limits: () => BuyingLimits): readonly number[] {
  const positions = pages.map((_, position) => position);
  const worth = (position: number) => pages[position]?.value ?? 0;
  const byValue = positions.toSorted((a, b) => worth(b) - worth(a));
  const choices = [takeInOrder(pages, positions, limits()), takeInOrder(pages, byValue, limits())];
  if (pages.length <= MAX_SEARCHED) {
    choices.push(searchMostValue(pages, limits()));
  }
  const sum = (choice: readonly number[]) => choice.reduce((total, position) => total + worth(position), 0);
  const best = choices.reduce((a, b) => (sum(b) > sum(a) ? b : a));
  return best.toSorted((a, b) => a - b);
}

function takeInOrder(pages: readonly ValuedPage[], order: readonly number[], limits: BuyingLimits): readonly number[] {
  return order.filter((position) => {
    const page = pages[position];
    return page !== undefined && limits.take(page.host, page.cost) === null;
  });
}

/**
 * The choice of pages with the most value, by branch and bound: each page is taken or left, the best value per price first, and a branch is
 * given up when even parts of pages could not make it better than the best choice so far. The work is bounded, so with many pages the result
 * may be only nearly the best. The same pages give the same choice.
 */
import type { BuyingLimits, MoneyBound } from "./limits.ts";
import type { ValuedPage } from "./most-value.ts";

/** Pages looked at, over all branches. */
const MAX_WORK = 3_000_000;
/** Sums of values are floats. */
const TOLERANCE = 1e-9;

interface Item {
  readonly position: number;
  readonly cost: number;
  readonly value: number;
  /** Positions in the list of what is left. */
  readonly money: readonly number[];
  readonly site: number;
}

interface Left {
  readonly money: number[];
  readonly sitePages: number[];
  runPages: number;
}

/** @param pages the best value per price first */
export function searchMostValue(pages: readonly ValuedPage[], limits: BuyingLimits): readonly number[] {
  const { items, left } = toItems(pages, limits);
  const byValue = items.toSorted((a, b) => b.value - a.value);
  const rankOf = new Map(items.map((item, index) => [item, index]));
  let best: readonly number[] = [];
  let bestValue = 0;
  let work = 0;
  const taken: number[] = [];

  /** What the items from `from` could bring at most. */
  function boundFrom(from: number): number {
    return Math.min(
      moneyBound(items, from, left),
      pageBound(byValue, (item) => (rankOf.get(item) ?? 0) >= from, left),
    );
  }

  function search(from: number, value: number): void {
    if (value > bestValue) {
      bestValue = value;
      best = [...taken];
    }
    const item = items[from];
    work += items.length - from;
    if (item === undefined || work > MAX_WORK || value + boundFrom(from) <= bestValue * (1 + TOLERANCE)) {
      return;
    }
    if (fits(item, left)) {
      move(item, left, -1);
      taken.push(item.position);
      search(from + 1, value + item.value);
      taken.pop();
      move(item, left, 1);
    }
    search(from + 1, value);
  }

  search(0, 0);
  return best;
}

/** Pages that do not even fit alone are left out. */
function toItems(
  pages: readonly ValuedPage[],
  limits: BuyingLimits,
): { readonly items: readonly Item[]; readonly left: Left } {
  const money: MoneyBound[] = [];
  const hosts: string[] = [];
  const sitePages: number[] = [];
  let runPages = Number.POSITIVE_INFINITY;
  const items: Item[] = [];
  for (const [position, { host, cost, value }] of pages.entries()) {
    const bounds = limits.bounds(host, cost.currency);
    if (bounds === null || bounds.money.some(({ left }) => cost.micros > left)) {
      continue;
    }
    runPages = bounds.runPages;
    if (!hosts.includes(host)) {
      hosts.push(host);
      sitePages.push(bounds.sitePages);
    }
    for (const bound of bounds.money.filter((one) => !money.includes(one))) {
      money.push(bound);
    }
    const own = bounds.money.map((bound) => money.indexOf(bound));
    items.push({ position, cost: cost.micros, value, money: own, site: hosts.indexOf(host) });
  }
  return { items, left: { money: money.map(({ left }) => left), sitePages, runPages } };
}

function fits({ cost, money, site }: Item, { money: lefts, sitePages, runPages }: Left): boolean {
  return runPages >= 1 && (sitePages[site] ?? 0) >= 1 && money.every((index) => cost <= (lefts[index] ?? 0));
}

function move({ cost, money, site }: Item, left: Left, sign: 1 | -1): void {
  for (const index of money) {
    left.money[index] = (left.money[index] ?? 0) + sign * cost;
  }
  left.sitePages[site] = (left.sitePages[site] ?? 0) + sign;
  left.runPages += sign;
}

/**
 * With parts of pages allowed, and no limit of pages. The limits of a site lie within those of all sites, so taking the best value per price
 * as far as it goes is the optimum of that.
 */
function moneyBound(items: readonly Item[], from: number, { money }: Left): number {
  const lefts = [...money];
  let bound = 0;
  for (let index = from; index < items.length; index += 1) {
    const item = items[index] as Item;
    const room = item.money.reduce((least, limit) => Math.min(least, lefts[limit] ?? 0), item.cost);
    bound += (item.value * room) / item.cost;
    for (const limit of item.money) {
      lefts[limit] = (lefts[limit] ?? 0) - room;
    }
  }
  return bound;
}

/** With the limits of pages alone. */
function pageBound(byValue: readonly Item[], isLeft: (item: Item) => boolean, { sitePages, runPages }: Left): number {
  if (runPages === Number.POSITIVE_INFINITY && sitePages.every((pages) => pages === Number.POSITIVE_INFINITY)) {
    return Number.POSITIVE_INFINITY;
  }
  const sites = [...sitePages];
  let pages = runPages;
  let bound = 0;
  for (const item of byValue) {
    const ofSite = sites[item.site] ?? 0;
    if (pages < 1) {
      return bound;
    }
    if (ofSite >= 1 && isLeft(item)) {
      bound += item.value;
      pages -= 1;
      sites[item.site] = ofSite - 1;
    }
  }
  return bound;
}

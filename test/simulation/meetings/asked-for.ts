/**
 * Asked for (safety): each charge in the gateway's account has its reason in what somebody asked for, at that time, under the limit of that
 * request over all that continued it, and in the configuration of the process that bought. The checker knows who asked for what, and the
 * gateway's account. It gives each charge to a request that has room for it; where that is not possible, something was bought that nobody
 * asked for.
 */
import type { Violation } from "../checks/evidence.ts";
import type { World } from "../world.ts";
import type { Ask } from "./asks.ts";
import { isWithin } from "./meeting.ts";

interface Bought {
  readonly url: string;
  /** When its purchase was started: true time. */
  readonly at: number;
  readonly process: string;
}

export function judgeAskedFor({ gateway, startings, lost }: World, asks: readonly Ask[]): Violation | null {
  const bought: Bought[] = [];
  for (const { url, token } of gateway.account.charges.filter((charge) => !lost.has(charge.token))) {
    const starting = startings.get(token);
    if (starting === undefined) {
      return broken("charge-is-started", `${url} was charged, and no process had started its purchase`);
    }
    if (!isWithin(starting.settings, url)) {
      return broken(
        "bought-within-configuration",
        `${starting.process} bought ${url}, which its configuration does not have`,
      );
    }
    bought.push({ url, at: starting.at, process: starting.process });
  }
  const left = match(bought, asks);
  return left === null
    ? null
    : broken("bought-as-asked", `${left.process} bought ${left.url}, and nobody asked for so much: ${describe(asks)}`);
}

/** Gives each charge to a request with room. @returns the first charge that finds none */
function match(bought: readonly Bought[], asks: readonly Ask[]): Bought | null {
  const given = new Map<Ask, Bought[]>(asks.map((ask) => [ask, []]));
  const place = (one: Bought, tried: Set<Ask>): boolean => {
    for (const ask of asks.filter((candidate) => !tried.has(candidate) && covers(candidate, one))) {
      tried.add(ask);
      const others = given.get(ask) as Bought[];
      if (others.length < (ask.maxPages ?? Number.POSITIVE_INFINITY)) {
        others.push(one);
        return true;
      }
      const moved = others.findIndex((other) => place(other, tried));
      if (moved >= 0) {
        others.splice(moved, 1, one);
        return true;
      }
    }
    return false;
  };
  return bought.find((one) => !place(one, new Set())) ?? null;
}

function covers({ urls, hosts, windows }: Ask, { url, at }: Bought): boolean {
  return (
    (urls.has(url) || hosts.has(new URL(url).host)) &&
    windows.some(({ from, to }) => at >= from && (to === null || at <= to))
  );
}

function describe(asks: readonly Ask[]): string {
  return asks.map(({ what, maxPages }) => `${what}${maxPages === null ? "" : ` (${maxPages} pages)`}`).join("; ");
}

function broken(rule: string, detail: string): Violation {
  return { promise: 2, rule, detail };
}

/**
 * 403 on every page of a site means that the account is not enabled for it (gateway-notes § Answers that differ between
 * deployments): then it should be said once and the site stopped, not once a page. One refused page means only that page, and a
 * refused part of a site only that part.
 *
 * A page takes three steps: its rates, its token, its content. What was granted at one step is a sign of life for that step and for
 * those before it: a gateway that gives tokens may still refuse every content.
 */
import { partOfUrl } from "../catalog/url-path.ts";

/** So many 403s at one step, with nothing granted there or later, and the site is looked at as a whole. */
export const FORBIDDEN_IN_A_ROW = 5;

/** More parts than this need not be told apart. */
const MAX_PARTS = 16;

const STEPS = ["rates", "token", "content"] as const;
export type Step = (typeof STEPS)[number];

export interface SiteHealth {
  /** Something was granted: the account is enabled as far as this step. */
  granted(host: string, step: Step): void;
  isGranted(host: string, step: Step): boolean;
  /** A page was forbidden. */
  forbidden(host: string, step: Step, url: string): void;
  /** Enough was forbidden, and nothing granted: the account may not be enabled. */
  isSuspect(host: string, step: Step): boolean;
  /** How many parts of the site have a page that was forbidden at this step, as far as they are counted. */
  forbiddenParts(host: string, step: Step): number;
  /** True when nobody is looking at the site as a whole; then `endLook` must follow. */
  beginLook(host: string): boolean;
  endLook(host: string): void;
  /** True for exactly one call per site: who stops it says so. */
  claimStop(host: string): boolean;
  /** The stop could not be written: the site is as it was. */
  withdrawStop(host: string): void;
  isStopped(host: string): boolean;
}

interface Refusals {
  count: number;
  readonly parts: Set<string>;
}

export function createSiteHealth(): SiteHealth {
  const grantedSteps = new Map<string, number>();
  const refusals = new Map<string, Refusals>();
  const looking = new Set<string>();
  const stopped = new Set<string>();
  const keyOf = (host: string, step: Step) => `${step} ${host}`;
  const isGranted = (host: string, step: Step) => (grantedSteps.get(host) ?? -1) >= STEPS.indexOf(step);
  return {
    granted: (host, step) => {
      if (!isGranted(host, step)) {
        grantedSteps.set(host, STEPS.indexOf(step));
      }
    },
    isGranted,
    forbidden: (host, step, url) => {
      const key = keyOf(host, step);
      const known = refusals.get(key) ?? { count: 0, parts: new Set<string>() };
      refusals.set(key, known);
      known.count += 1;
      if (known.parts.size < MAX_PARTS) {
        known.parts.add(partOfUrl(url));
      }
    },
    isSuspect: (host, step) =>
      !isGranted(host, step) && (refusals.get(keyOf(host, step))?.count ?? 0) >= FORBIDDEN_IN_A_ROW,
    forbiddenParts: (host, step) => refusals.get(keyOf(host, step))?.parts.size ?? 0,
    beginLook: (host) => !looking.has(host) && looking.add(host) !== undefined,
    endLook: (host) => {
      looking.delete(host);
    },
    claimStop: (host) => !stopped.has(host) && stopped.add(host) !== undefined,
    withdrawStop: (host) => {
      stopped.delete(host);
    },
    isStopped: (host) => stopped.has(host),
  };
}

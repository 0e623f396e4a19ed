/**
 * What a run has seen of each site: whether a page of it was delivered, and its 403 answers. When every page of a site is forbidden, the account is
 * not enabled for it. This is reported once and the site is stopped. One refused page concerns only that page, and a refused part of a site only that
 * part.
 *
 * A page takes three steps: its rates, its token, its content. A grant at one step shows that the account is enabled for this
 * step and the steps before. A gateway that grants tokens may still refuse every content.
 */
import { partOfUrl } from "../catalog/url-path.ts";

/** After this many 403s at one step, with no grant there or later, the whole site is checked. */
export const FORBIDDEN_IN_A_ROW = 5;

/** The parts of a site are counted up to this number. */
const MAX_PARTS = 16;

const STEPS = ["rates", "token", "content"] as const;
export type Step = (typeof STEPS)[number];

export interface SiteHealth {
  /** A page with content was settled in this run, so the ledger leases more than one batch of the site to buy. */
  proven(host: string): void;
  /** Called when a site was proven for the first time. */
  onProven(listener: () => void): void;
  /** Something was granted: the account is enabled up to this step. */
  granted(host: string, step: Step): void;
  isGranted(host: string, step: Step): boolean;
  /** A page was forbidden. */
  forbidden(host: string, step: Step, url: string): void;
  /** Many pages were forbidden and none was granted: the account may not be enabled. */
  isSuspect(host: string, step: Step): boolean;
  /** How many parts of the site have a page that was forbidden at this step, up to a limit. */
  forbiddenParts(host: string, step: Step): number;
  /** True when no other check of the whole site is running. The caller must then call `endCheck`. */
  beginCheck(host: string): boolean;
  endCheck(host: string): void;
  /** True for exactly one call per site. That caller reports the stop. */
  claimStop(host: string): boolean;
  /** The stop could not be written. The site can be stopped again. */
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
  const beingChecked = new Set<string>();
  const stopped = new Set<string>();
  const proven = new Set<string>();
  let tellProven = () => {};
  const keyOf = (host: string, step: Step) => `${step} ${host}`;
  const isGranted = (host: string, step: Step) => (grantedSteps.get(host) ?? -1) >= STEPS.indexOf(step);
  return {
    proven: (host) => {
      if (!proven.has(host)) {
        proven.add(host);
        tellProven();
      }
    },
    onProven: (listener) => {
      tellProven = listener;
    },
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
    beginCheck: (host) => !beingChecked.has(host) && beingChecked.add(host) !== undefined,
    endCheck: (host) => {
      beingChecked.delete(host);
    },
    claimStop: (host) => !stopped.has(host) && stopped.add(host) !== undefined,
    withdrawStop: (host) => {
      stopped.delete(host);
    },
    isStopped: (host) => stopped.has(host),
  };
}

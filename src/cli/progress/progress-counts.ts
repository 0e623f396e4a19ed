/** Counts what a run has done so far, from the agent's events. A resumed run begins with its own counts. */
import type { Agent } from "../../agent/agent.ts";
import type { AgentEvents } from "../../agent/events/events.ts";
import { addMicros, type Micros, toMicros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { addByClass, countByClass, countLeft, type DenialClassCounts, NO_DENIALS } from "../../policy/denial-class.ts";
import type { Clock } from "../../time/clock.ts";
import { createSiteProgress, hasWork, openPages, type SiteProgress, stopSite } from "./site-progress.ts";

export interface ProgressCounts {
  /** Null until the run has begun. */
  readonly runId: string | null;
  readonly resumed: boolean;
  readonly seen: number;
  readonly approved: number;
  readonly denied: number;
  readonly deniedBy: DenialClassCounts;
  readonly bought: number;
  readonly failed: number;
  readonly inDoubt: number;
  readonly usesReported: number;
  /** Pages that are bought, failed or in doubt, or were denied for good. What a limit left is not done: the next run decides it anew. */
  readonly done: number;
  /** All pages that are worth a quote, without those that a limit left. Null while a catalog is still read, because no catalog says how long it is. */
  readonly total: number | null;
  /** The sites of the run. */
  readonly sites: ReadonlyMap<string, SiteProgress>;
  /** Sites with work left. */
  readonly hostsInWork: readonly string[];
  /** Charges with their fees, by currency. */
  readonly spent: ReadonlyMap<Currency, Micros>;
  /** Quotes of the purchases in doubt. */
  readonly doubtful: ReadonlyMap<Currency, Micros>;
  /** What a resumed run had spent before, by currency. Empty for a new run. */
  readonly spentBefore: ReadonlyMap<Currency, Micros>;
  /** The order and the limits of the run. Null until it has begun. */
  readonly started: Pick<AgentEvents["run.started"], "order" | "limits"> | null;
  /** The begin of the work in this process, and the counts at that moment. */
  readonly began: { readonly at: number; readonly bought: number; readonly done: number } | null;
  /** The last retry, until the gateway answers again. */
  readonly retry: (AgentEvents["gateway.retry"] & { readonly at: number }) | null;
}

export interface ProgressWatch {
  readonly counts: ProgressCounts;
  stop(): void;
}

type Writable = { -readonly [Key in keyof ProgressCounts]: ProgressCounts[Key] } & {
  readonly spent: Map<Currency, Micros>;
  readonly doubtful: Map<Currency, Micros>;
};

export function watchCounts(agent: Pick<Agent, "on" | "off">, clock: Pick<Clock, "now">): ProgressWatch {
  const sites = new Map<string, SiteProgress>();
  const siteOf = (host: string): SiteProgress => {
    const site = sites.get(host) ?? createSiteProgress();
    sites.set(host, site);
    return site;
  };
  const counts: Writable = {
    runId: null,
    resumed: false,
    seen: 0,
    approved: 0,
    denied: 0,
    deniedBy: NO_DENIALS,
    bought: 0,
    failed: 0,
    inDoubt: 0,
    usesReported: 0,
    done: 0,
    sites,
    get total() {
      const all = [...sites.values()];
      return all.length > 0 && all.every(({ isWalked }) => isWalked)
        ? all.reduce((sum, { candidates, done }) => sum + Math.max(candidates, done), 0)
        : null;
    },
    get hostsInWork() {
      return [...sites].filter(([, site]) => hasWork(site)).map(([host]) => host);
    },
    spent: new Map(),
    doubtful: new Map(),
    spentBefore: new Map(),
    started: null,
    began: null,
    retry: null,
  };
  const stops = listenAll(agent, { counts, siteOf, clock });
  return {
    counts,
    stop: () => {
      for (const stop of stops) {
        stop();
      }
    },
  };
}

interface Watching {
  readonly counts: Writable;
  readonly siteOf: (host: string) => SiteProgress;
  readonly clock: Pick<Clock, "now">;
}

function listenAll(agent: Pick<Agent, "on" | "off">, watching: Watching): readonly (() => void)[] {
  const { counts, siteOf, clock } = watching;
  return [
    listen(agent, "run.started", ({ runId, resumed, hosts, before, order, limits }) => {
      counts.runId = runId;
      counts.resumed = resumed;
      counts.started = { order, limits };
      for (const host of hosts) {
        siteOf(host);
      }
      if (before !== null) {
        beginAt(counts, siteOf, before);
      }
      counts.began = { at: clock.now(), bought: counts.bought, done: counts.done };
    }),
    listen(agent, "walk.page", ({ host, seen, candidates, ended }) => {
      counts.retry = null;
      counts.seen += seen;
      const site = siteOf(host);
      site.candidates += candidates;
      site.isWalked ||= ended;
    }),
    listen(agent, "site.stopped", ({ hosts, stop }) => {
      for (const host of hosts) {
        stopSite(siteOf(host), stop);
      }
    }),
    listen(agent, "pages.decided", ({ host, approved, denied }) => {
      counts.retry = null;
      const deniedPages = Object.values(denied).reduce((sum, count) => sum + count, 0);
      const left = countLeft(denied);
      const site = siteOf(host);
      site.approved += approved;
      site.done += deniedPages - left;
      site.candidates = Math.max(site.candidates - left, site.done + openPages(site));
      counts.done += deniedPages - left;
      counts.approved += approved;
      counts.denied += deniedPages;
      counts.deniedBy = addByClass(counts.deniedBy, countByClass(denied));
    }),
    ...listenToPages(agent, watching),
    listen(agent, "usage.reported", ({ uses }) => {
      counts.retry = null;
      counts.usesReported += uses;
    }),
    listen(agent, "gateway.retry", (retry) => {
      counts.retry = { ...retry, at: clock.now() };
    }),
  ];
}

/** What becomes of the pages that were to be bought. */
function listenToPages(
  agent: Pick<Agent, "on" | "off">,
  { counts, siteOf }: Pick<Watching, "counts" | "siteOf">,
): readonly (() => void)[] {
  /** The quotes of pages in doubt: an answer may still come. */
  const doubts = new Map<string, { readonly micros: Micros; readonly currency: Currency | null }>();
  const finish = (url: string): SiteProgress | null => {
    counts.retry = null;
    counts.done += 1;
    const host = URL.parse(url)?.host;
    const site = host === undefined ? null : siteOf(host);
    if (site !== null) {
      site.done += 1;
      site.ended += 1;
    }
    return site;
  };
  return [
    listen(agent, "page.bought", ({ url, chargedMicros, feeMicros, currency }) => {
      const doubt = doubts.get(url);
      if (doubt !== undefined) {
        doubts.delete(url);
        counts.inDoubt--;
        add(counts.doubtful, toMicros(-doubt.micros), doubt.currency);
      }
      const site = doubt === undefined ? finish(url) : null;
      counts.bought++;
      const costMicros = chargedMicros === null ? null : addMicros(chargedMicros, feeMicros);
      add(counts.spent, costMicros, currency);
      if (site !== null) {
        site.bought++;
        add(site.spent, costMicros, currency);
      }
    }),
    listen(agent, "page.failed", ({ url }) => {
      counts.failed++;
      finish(url);
    }),
    listen(agent, "page.in_doubt", ({ url, quotedMicros, currency }) => {
      counts.inDoubt++;
      finish(url);
      doubts.set(url, { micros: quotedMicros ?? ZERO_MICROS, currency });
      add(counts.doubtful, quotedMicros, currency);
    }),
  ];
}

/** @returns a function that stops listening */
export function listen<Name extends keyof AgentEvents>(
  agent: Pick<Agent, "on" | "off">,
  name: Name,
  listener: (event: AgentEvents[Name]) => void,
): () => void {
  agent.on(name, listener);
  return () => agent.off(name, listener);
}

/** Reservations of a resumed run are released, and its pages are decided anew. So only what has ended counts. */
function beginAt(
  counts: Writable,
  siteOf: (host: string) => SiteProgress,
  { pages, sites, spend }: NonNullable<AgentEvents["run.started"]["before"]>,
): void {
  counts.seen = pages.seen;
  counts.denied = pages.denied;
  counts.deniedBy = pages.deniedBy;
  counts.bought = pages.bought;
  counts.failed = pages.failed;
  counts.inDoubt = pages.inDoubt;
  counts.approved = pages.bought + pages.failed + pages.inDoubt;
  for (const before of sites) {
    const site = siteOf(before.host);
    site.candidates = before.seen - before.unchanged - before.excluded;
    site.done = Math.min(site.candidates, before.denied + before.bought + before.failed + before.inDoubt);
    site.isWalked = before.walkEnded;
    site.ended = before.bought + before.failed + before.inDoubt;
    site.approved = site.ended;
    counts.done += site.done;
  }
  for (const [currency, { settledMicros, feeMicros, inDoubtMicros }] of Object.entries(spend)) {
    counts.spent.set(currency, toMicros(settledMicros + feeMicros));
    counts.doubtful.set(currency, inDoubtMicros);
  }
  counts.spentBefore = sumByCurrency(counts.spent, counts.doubtful);
}

/** Adds up amounts by currency. */
export function sumByCurrency(
  a: ReadonlyMap<Currency, Micros>,
  b: ReadonlyMap<Currency, Micros>,
): ReadonlyMap<Currency, Micros> {
  return new Map(
    [...new Set([...a.keys(), ...b.keys()])].map((currency) => [
      currency,
      addMicros(a.get(currency) ?? ZERO_MICROS, b.get(currency) ?? ZERO_MICROS),
    ]),
  );
}

function add(sums: Map<Currency, Micros>, micros: Micros | null, currency: Currency | null): void {
  if (micros !== null && currency !== null) {
    sums.set(currency, addMicros(sums.get(currency) ?? ZERO_MICROS, micros));
  }
}

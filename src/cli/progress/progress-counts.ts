/** Counts what a run has done so far, from the agent's events. A resumed run begins with its own counts. */
import type { Agent } from "../../agent/agent.ts";
import type { AgentEvents } from "../../agent/events/events.ts";
import { addMicros, type Micros, toMicros, ZERO_MICROS } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { addByClass, countByClass, type DenialClassCounts, NO_DENIALS } from "../../policy/denial-class.ts";
import type { Clock } from "../../time/clock.ts";

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
  /** Pages that were worth a quote and are denied, bought, failed or in doubt. */
  readonly done: number;
  /** All pages that are worth a quote. Null while a catalog is still read, because no catalog says how long it is. */
  readonly total: number | null;
  /** Sites with work left. */
  readonly hostsInWork: readonly string[];
  /** Charges, by currency. */
  readonly spent: ReadonlyMap<Currency, Micros>;
  /** Quotes of the purchases in doubt. */
  readonly doubtful: ReadonlyMap<Currency, Micros>;
  /** What a resumed run had spent before, by currency. Empty for a new run. */
  readonly spentBefore: ReadonlyMap<Currency, Micros>;
  /** The begin of the work in this process, and the counts at that moment. */
  readonly began: { readonly at: number; readonly bought: number; readonly done: number } | null;
  /** The last retry, until the gateway answers again. */
  readonly retry: (AgentEvents["gateway.retry"] & { readonly at: number }) | null;
}

export interface ProgressWatch {
  readonly counts: ProgressCounts;
  stop(): void;
}

interface SiteProgress {
  candidates: number;
  done: number;
  /** No more pages come: the walk has ended, or the site is stopped. */
  isWalked: boolean;
  isStopped: boolean;
}

type Writable = { -readonly [Key in keyof ProgressCounts]: ProgressCounts[Key] } & {
  readonly spent: Map<Currency, Micros>;
  readonly doubtful: Map<Currency, Micros>;
};

export function watchCounts(agent: Pick<Agent, "on" | "off">, clock: Pick<Clock, "now">): ProgressWatch {
  const sites = new Map<string, SiteProgress>();
  const siteOf = (host: string): SiteProgress => {
    const site = sites.get(host) ?? { candidates: 0, done: 0, isWalked: false, isStopped: false };
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
    began: null,
    retry: null,
  };
  const finish = (host: string | undefined, pages = 1) => {
    counts.retry = null;
    counts.done += pages;
    if (host !== undefined) {
      siteOf(host).done += pages;
    }
  };
  const stops = listenAll(agent, { counts, siteOf, finish, clock });
  return {
    counts,
    stop: () => {
      for (const stop of stops) {
        stop();
      }
    },
  };
}

function hasWork({ isWalked, isStopped, candidates, done }: SiteProgress): boolean {
  return !isStopped && (!isWalked || done < candidates);
}

function listenAll(
  agent: Pick<Agent, "on" | "off">,
  {
    counts,
    siteOf,
    finish,
    clock,
  }: {
    readonly counts: Writable;
    readonly siteOf: (host: string) => SiteProgress;
    readonly finish: (host: string | undefined, pages?: number) => void;
    readonly clock: Pick<Clock, "now">;
  },
): readonly (() => void)[] {
  return [
    listen(agent, "run.started", ({ runId, resumed, hosts, before }) => {
      counts.runId = runId;
      counts.resumed = resumed;
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
    listen(agent, "site.stopped", ({ host }) => {
      const site = siteOf(host);
      site.isWalked = true;
      site.isStopped = true;
      // What was not bought is left.
      site.candidates = Math.min(site.candidates, site.done);
    }),
    listen(agent, "pages.decided", ({ host, approved, denied }) => {
      const deniedPages = Object.values(denied).reduce((sum, count) => sum + count, 0);
      counts.approved += approved;
      counts.denied += deniedPages;
      counts.deniedBy = addByClass(counts.deniedBy, countByClass(denied));
      finish(host, deniedPages);
    }),
    listen(agent, "page.bought", ({ url, chargedMicros, currency }) => {
      counts.bought++;
      finish(hostOf(url));
      add(counts.spent, chargedMicros, currency);
    }),
    listen(agent, "page.failed", ({ url }) => {
      counts.failed++;
      finish(hostOf(url));
    }),
    listen(agent, "page.in_doubt", ({ url, quotedMicros, currency }) => {
      counts.inDoubt++;
      finish(hostOf(url));
      add(counts.doubtful, quotedMicros, currency);
    }),
    listen(agent, "usage.reported", ({ uses }) => {
      counts.retry = null;
      counts.usesReported += uses;
    }),
    listen(agent, "gateway.retry", (retry) => {
      counts.retry = { ...retry, at: clock.now() };
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

function hostOf(url: string): string | undefined {
  return URL.parse(url)?.host;
}

function add(sums: Map<Currency, Micros>, micros: Micros | null, currency: Currency | null): void {
  if (micros !== null && currency !== null) {
    sums.set(currency, addMicros(sums.get(currency) ?? ZERO_MICROS, micros));
  }
}

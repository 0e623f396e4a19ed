/** `agent.sites`: every site of the configuration and of the ledger, and how it stands. */
import type { SiteConfig } from "../../config/config.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { SiteFacts } from "../../ledger/site-reports.ts";
import { nextSlots } from "../../schedule/slot.ts";
import { type Resources, withLedgerOrEmpty } from "../compose.ts";
import { listSchedules } from "../reports/configured-schedules.ts";
import { findUnfinished } from "../runs/find-unfinished.ts";
import type { SiteState, SiteStatus, SitesOptions, SitesReport } from "./sites-report.ts";

const USUAL_SITES = 50;

/** @throws LicetError LEDGER_* */
export async function sitesAgent(
  resources: Resources,
  { limit = USUAL_SITES, cursor = "" }: SitesOptions,
): Promise<SitesReport> {
  return withLedgerOrEmpty(resources, "read", async (ledger) => {
    // One more than is shown says whether there are others.
    const known = await ledger.readSites({ host: null, after: cursor, limit: limit + 1 });
    const facts = new Map(known.map((site) => [site.host, site]));
    const configured = resources.config.sites.map(({ host }) => host).filter((host) => host > cursor);
    const hosts = [...new Set([...configured, ...facts.keys()])].sort().slice(0, limit + 1);
    const toStatus = await createSiteStatus(resources, ledger);
    const shown = hosts.slice(0, limit);
    return {
      sites: shown.map((host) => toStatus(facts.get(host) ?? unknownSite(host))),
      nextCursor: hosts.length > limit ? (shown.at(-1) ?? null) : null,
    };
  });
}

/** What the ledger would say of a site that no run has met. */
export function unknownSite(host: string): SiteFacts {
  return {
    host,
    stored: { pages: 0, isAtLeast: false },
    newestStoredAt: null,
    oldestStoredAt: null,
    spend: {},
    stop: null,
    lastFullWalkAt: null,
    lastRun: null,
    lastWalk: null,
  };
}

/** Puts beside the facts of the ledger what the configuration and the processes say. */
export async function createSiteStatus(
  resources: Resources,
  ledger: Ledger,
): Promise<(facts: SiteFacts) => SiteStatus> {
  const { config, clock } = resources;
  const unfinished = await findUnfinished(resources, ledger);
  const atWork = new Set(unfinished.filter(({ isAlive }) => isAlive).map(({ runId }) => runId));
  const sites = new Map(config.sites.map((site) => [site.host, site]));
  const schedules = new Map(listSchedules(config).map((schedule) => [schedule.host, schedule.times]));
  const now = clock.now();
  return (facts) => {
    const { stop: lasting, ...rest } = facts;
    const site = sites.get(facts.host);
    const times = schedules.get(facts.host);
    const state = stateOf(facts, site, atWork);
    const ended = state === "ended_early" ? facts.lastRun : null;
    return {
      ...rest,
      state,
      stop: lasting?.stop ?? ended?.stop ?? null,
      stopDetail: lasting?.detail ?? ended?.stopDetail ?? null,
      policyName: site?.policy.name ?? null,
      nextSlotAt: times === undefined ? null : (nextSlots(times, now, 1)[0] ?? null),
    };
  };
}

/** What a person has to know first. */
function stateOf({ stop, lastRun }: SiteFacts, site: SiteConfig | undefined, atWork: ReadonlySet<string>): SiteState {
  if (stop !== null) {
    return stop.stop === "paused" ? "paused" : "stopped";
  }
  if (lastRun !== null && atWork.has(lastRun.runId)) {
    return "at_work";
  }
  if (site === undefined) {
    return "not_configured";
  }
  if (lastRun === null) {
    return "new";
  }
  return lastRun.stop === null ? "ready" : "ended_early";
}

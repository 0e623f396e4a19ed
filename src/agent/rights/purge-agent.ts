/** `agent.purge`: takes content whose rights ended, or that a person names, out of the ledger, and keeps the evidence. */
import { canonicalPageUrl } from "../../catalog/page-url.ts";
import { LicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { toExpiryPolicies } from "../../rights/rights.ts";
import { toActedBy } from "../acts/acted-by.ts";
import { requireClock } from "../clock/ask-clock.ts";
import type { Resources } from "../compose.ts";
import { checkDocumentSite } from "../documents/documents-agent.ts";
import { readService } from "../known-service.ts";
import { findUnfinished } from "../runs/find-unfinished.ts";
import type { PurgeOptions, PurgeReport } from "./rights-report.ts";

/** Removed versions that the report names. */
const MAX_LISTED = 1_000;
/**
 * A file up to this size is copied while a run or a service works beside: their writes wait for it, some seconds at most (measured: 300 MB a
 * second). A larger file is cleaned when nobody works.
 */
const MAX_BESIDE_BYTES = 512 * 1_024 * 1_024;

/** @throws LicetError CLOCK_UNSURE; USAGE_INVALID for a site that nobody knows, for a URL that is not the URL of a page, or named pages without a reason */
export async function purgeAgent(resources: Resources, options: PurgeOptions): Promise<PurgeReport> {
  const { urls, by, reason, dryRun = false, trustClock = false } = options;
  const hosts = options.hosts?.map((host) => host.toLowerCase()) ?? null;
  const { config, clock } = resources;
  const named = urls === undefined ? null : { urls: urls.map(toPageUrl), reason: checkReason(reason) };
  const ledger = await resources.ledger("existing");
  for (const host of hosts ?? []) {
    await checkDocumentSite(resources, ledger, host, "purge");
  }
  const policies = toExpiryPolicies(config.policies.values(), config.sites);
  // Pages that a person names go whatever the clock says.
  const isGuarded = !dryRun && named === null && Object.values(policies).some(({ onExpiry }) => onExpiry === "purge");
  const guarded = { refusal: "nothing is purged", command: "licet purge", trusts: trustClock };
  const now = isGuarded ? await requireClock(resources, ledger, guarded) : clock.now();
  const purged = await ledger.purge({
    policies,
    hosts,
    named,
    now,
    dryRun,
    who: toActedBy(resources, { by, reason: named?.reason ?? reason }),
    limit: MAX_LISTED,
  });
  const cleaning = dryRun
    ? null
    : await ledger.cleanFile({ maxBytes: (await isAtWork(resources, ledger)) ? MAX_BESIDE_BYTES : null });
  return { dryRun, ...purged, cleaning };
}

function toPageUrl(url: string): string {
  const canonical = canonicalPageUrl(url);
  if (canonical === null) {
    throw new LicetError("USAGE_INVALID", `it is not the URL of a page: ${url}`, {
      hint: "Give the URL as licet explain shows it.",
    });
  }
  return canonical;
}

function checkReason(reason: string | undefined): string {
  if (reason === undefined || reason.trim() === "") {
    throw new LicetError("USAGE_INVALID", "pages are named without a reason", {
      hint: "Give the reason, for example the letter that asks for it: it is kept with the evidence (--reason).",
    });
  }
  return reason.trim();
}

/** Whether a run or a service may want to write to the ledger now. */
async function isAtWork(resources: Resources, ledger: Ledger): Promise<boolean> {
  const service = await readService(resources, ledger);
  const unfinished = await findUnfinished(resources, ledger);
  return service?.isAlive === true || unfinished.some(({ isAlive }) => isAlive);
}

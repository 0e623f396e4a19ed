/** What became of the pages of a saved plan: which were bought, and which no longer fit. */
import type { Config } from "../../config/config.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { RunSummary } from "../../ledger/ledger-reports.ts";
import type { UnboughtPage } from "../../ledger/list-ledger.ts";
import type { Micros } from "../../money/micros.ts";
import type { Currency, Money } from "../../money/money.ts";
import { priceOf } from "../../policy/price.ts";
import { isOffer } from "../../rates/offers.ts";
import { isBilled } from "../../usage/use.ts";
import type { SavedPlan } from "./open-plan.ts";

/** Pages that a report names. The counts have all. */
const MAX_EXAMPLES = 10;
/** The page was bought since the plan was made, or is stored in a version that is fresh enough. */
const HELD = "already_held";

/** What a page may set aside, or would. */
export interface SetAside {
  readonly setAsideMicros: Micros;
  readonly currency: Currency;
}

/** A page of the plan that was not bought. */
export interface MissedPage {
  readonly url: string;
  readonly reason: string;
  readonly detail: string | null;
  /** The most that it may cost by the plan. Null for a page that is only indexed. */
  readonly planned: SetAside | null;
  /** What it would set aside now under the license of the plan. Null: it is not sold under it any more. */
  readonly now: SetAside | null;
}

/** `plan` of `licet run --json`: what became of the pages of a saved plan. */
export interface PlanOutcome {
  /** Absolute. */
  readonly path: string;
  /** ISO 8601 in UTC. @format date-time */
  readonly createdAt: string;
  /** ISO 8601 in UTC. @format date-time */
  readonly expiresAt: string;
  /** Pages that the file names. */
  readonly pages: number;
  /** Whether a person changed its lines, and how many pages were taken out, and prices lowered. */
  readonly edited: boolean;
  readonly removed: number;
  readonly lowered: number;
  /** Pages that this run bought. */
  readonly bought: number;
  /** Pages that were not bought again: they were bought since the plan was made, or are stored in a version that is fresh enough. */
  readonly stored: number;
  /** Pages that no longer fit, by reason: denials, and purchases that were released. */
  readonly missed: Readonly<Record<string, number>>;
  /** The first of these in the order of the plan, with both prices. */
  readonly examples: readonly MissedPage[];
}

export async function readPlanOutcome(
  ledger: Ledger,
  { path, header, edits, left }: SavedPlan,
  summary: RunSummary,
  { config, now }: { readonly config: Config; readonly now: number },
): Promise<PlanOutcome> {
  const { [HELD]: heldNow = 0, ...denied } = summary.denials;
  const missed = { ...denied };
  for (const [reason, count] of Object.entries(summary.failures)) {
    missed[reason] = (missed[reason] ?? 0) + count;
  }
  const examples =
    Object.keys(denied).length === 0
      ? []
      : await ledger.readUnbought({ runId: summary.runId, passedOver: HELD, limit: MAX_EXAMPLES });
  return {
    path,
    createdAt: new Date(header.createdAt).toISOString(),
    expiresAt: new Date(header.expiresAt).toISOString(),
    pages: left.pages,
    ...edits,
    bought: summary.pages.bought,
    stored: summary.pages.unchanged + heldNow,
    missed,
    examples: examples.map((page) => toMissed(page, config, now)),
  };
}

function toMissed(
  { url, host, reason, detail, terms, listing }: UnboughtPage,
  config: Config,
  now: number,
): MissedPage {
  const { license, maxPrice } = terms;
  const rate = listing?.rates.find(
    (one) => isOffer(one, now) && one.license.licenseType === license?.licenseType && one.license.cuid === license.cuid,
  );
  const site = config.sites.find((one) => one.host === host);
  const isFetchBilled = site !== undefined && isBilled("fetch", site.reporting);
  return {
    url,
    reason,
    detail,
    planned: toSetAside(maxPrice),
    now: toSetAside(rate === undefined ? null : priceOf(rate, { fee: config.gateway.fee, isFetchBilled }).cost),
  };
}

const toSetAside = (cost: Money | null): SetAside | null =>
  cost === null ? null : { setAsideMicros: cost.micros, currency: cost.currency };

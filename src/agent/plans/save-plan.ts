/** Saves the pages of a plan as they are decided. */
import { resolve } from "node:path";
import type { Config, SiteConfig } from "../../config/config.ts";
import type { PlanHeader } from "../../plan/plan-header.ts";
import type { PlanLine } from "../../plan/plan-line.ts";
import { toPlanTerms } from "../../plan/plan-terms.ts";
import type { RunOrder } from "../../policy/rule.ts";
import { createPlanFile, type PlanFile } from "./plan-file.ts";
import type { ApprovedPage, SavedPlanFacts } from "./plan-report.ts";

/** How long a plan counts when nobody says: long enough for a person to approve it, short enough that prices still hold. */
export const DEFAULT_EXPIRY_MS = 86_400_000;

export interface PlanSaving extends Pick<PlanFile, "discard"> {
  add(page: ApprovedPage): Promise<void>;
  finish(
    made: Pick<PlanHeader, "createdAt" | "basis"> & { readonly expiresMs?: number | undefined },
  ): Promise<SavedPlanFacts>;
}

/** @throws LicetError PLAN_UNWRITABLE, before the plan begins */
export async function savePlan(
  out: string,
  {
    config,
    sites,
    order,
  }: { readonly config: Config; readonly sites: readonly SiteConfig[]; readonly order: RunOrder },
): Promise<PlanSaving> {
  const file = await createPlanFile(resolve(out));
  const hosts = sites.map(({ host }) => host);
  return {
    add: (page) => file.add(toPlanLine(page)),
    finish: ({ createdAt, basis, expiresMs = DEFAULT_EXPIRY_MS }) =>
      file.finish({ createdAt, expiresAt: createdAt + expiresMs, terms: toPlanTerms(config, hosts, order), basis }),
    discard: file.discard,
  };
}

function toPlanLine(page: ApprovedPage): PlanLine {
  const { url, license, priceMicros, setAsideMicros, currency, policyName, ruleIndex, value, key } = page;
  const terms = { url, policy: policyName, ruleIndex, value, key };
  if (license === null || priceMicros === null || currency === null) {
    return { ...terms, planned: null, maxPrice: null };
  }
  const setAside = { micros: setAsideMicros, currency };
  return { ...terms, planned: { price: { micros: priceMicros, currency }, setAside, license }, maxPrice: setAside };
}

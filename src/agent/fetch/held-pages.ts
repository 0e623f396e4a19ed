/** Answers from the ledger: pages that are held, and whose rights have not ended. */
import { withOtherScheme } from "../../catalog/page-url.ts";
import type { Config } from "../../config/config.ts";
import { isLicetError } from "../../errors.ts";
import type { HeldPage } from "../../ledger/fetch-ledger.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { type ExpiryPolicies, findRightsEnd, haveRightsEnded, toExpiryPolicies } from "../../rights/rights.ts";
import type { Resources } from "../compose.ts";
import type { WantedPage } from "./wanted-pages.ts";

export interface HeldPages {
  /** By the identity of the page. The version may be held under the other scheme. */
  readonly usable: ReadonlyMap<string, HeldPage>;
  /** Pages whose stored version may no longer be used. */
  readonly ended: ReadonlyMap<string, EndedPage>;
}

export interface EndedPage {
  readonly held: HeldPage;
  /** As a sentence. */
  readonly why: string;
}

/** @param ledger null: there is none, so nothing is held */
export async function readHeld(
  { config, clock }: Pick<Resources, "config" | "clock">,
  ledger: Pick<Ledger, "findHeld"> | null,
  pages: readonly Pick<WantedPage, "url" | "site">[],
): Promise<HeldPages> {
  const usable = new Map<string, HeldPage>();
  const ended = new Map<string, EndedPage>();
  const policies = toExpiryPolicies(config.policies.values(), config.sites);
  const held = (await ledger?.findHeld({ urls: underBothSchemes(pages) })) ?? [];
  const byUrl = new Map(held.map((one) => [one.document.url, one]));
  for (const { url, site } of pages) {
    for (const one of [byUrl.get(url), byUrl.get(withOtherScheme(url))]) {
      // What was only indexed was not bought.
      if (one === undefined || (one.document.intent === "indexing" && site?.policy.intent === "content")) {
        continue;
      }
      const why = findEnd(one, policies, clock.now());
      if (why === null && !usable.has(url)) {
        usable.set(url, one);
      } else if (why !== null && one.document.url === url) {
        ended.set(url, { held: one, why });
      }
    }
  }
  return { usable, ended };
}

/** The addresses under which pages may be held or bought: `http` and `https` are two pages of the ledger. */
export function underBothSchemes(pages: readonly Pick<WantedPage, "url">[]): readonly string[] {
  return pages.flatMap(({ url }) => [url, withOtherScheme(url)]);
}

/** The ledger as it is. Null when there is none: a fetch that only reads creates no file. */
export async function openExisting({ ledger }: Pick<Resources, "ledger">): Promise<Ledger | null> {
  try {
    return await ledger("read");
  } catch (error) {
    if (isLicetError(error, "LEDGER_MISSING")) {
      return null;
    }
    throw error;
  }
}

/** Why a stored version may no longer be used. Null: it may. */
function findEnd(held: HeldPage, policies: ExpiryPolicies, now: number): string | null {
  if (held.purgedAt !== null) {
    return "the content that was held was purged";
  }
  const end = findRightsEnd(held.document, policies);
  return end !== null && haveRightsEnded(end, now)
    ? `the rights to the content that is held ended at ${new Date(end.at).toISOString()} (${end.why})`
    : null;
}

/**
 * The expiry terms for a purchase that somebody asks for: content whose rights ended is bought again, whatever its policy says of runs, which
 * nobody asks.
 */
export function toAskedExpiry(
  { policies, sites }: Pick<Config, "policies" | "sites">,
  held: readonly HeldPage[],
): ExpiryPolicies {
  const gone = held.map(({ document }) => ({ name: document.policyName, retentionMs: document.retentionMs }));
  const asked = { onExpiry: "relicense", isAsked: true } as const;
  return toExpiryPolicies(
    [...gone, ...policies.values()].map((terms) => ({ ...terms, ...asked })),
    sites,
  );
}

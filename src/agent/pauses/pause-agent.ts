/** `agent.pauseSite` and `agent.unpauseSite`: a person lets nothing be bought from a site, or lets it be bought from again. */
import type { Ledger } from "../../ledger/ledger.ts";
import type { SitePause } from "../../ledger/pause-ledger.ts";
import { type ActingOptions, toActedBy } from "../acts/acted-by.ts";
import type { Resources } from "../compose.ts";
import { checkDocumentSite } from "../documents/documents-agent.ts";

/** `pause --json`. */
export interface PauseReport {
  readonly host: string;
  /** Whether the call changed it. False: it was so before, and the first word stays. */
  readonly changed: boolean;
  /** Since when it is paused, by whom, and why. Null: it is not. */
  readonly pause: SitePause | null;
}

/** @throws LicetError USAGE_INVALID for a site that nobody knows */
export async function pauseSiteAgent(resources: Resources, given: string, acting: ActingOptions): Promise<PauseReport> {
  return change(resources, given, { acting, word: "pauseSite" });
}

/** @throws LicetError USAGE_INVALID for a site that nobody knows */
export async function unpauseSiteAgent(
  resources: Resources,
  given: string,
  acting: ActingOptions,
): Promise<PauseReport> {
  return change(resources, given, { acting, word: "unpauseSite" });
}

async function change(
  resources: Resources,
  given: string,
  { acting, word }: { readonly acting: ActingOptions; readonly word: "pauseSite" | "unpauseSite" },
): Promise<PauseReport> {
  const host = given.toLowerCase();
  const ledger: Ledger = await resources.ledger("existing");
  await checkDocumentSite(resources, ledger, host, word);
  const changed = await ledger[word]({ host, who: toActedBy(resources, acting), now: resources.clock.now() });
  const pauses = await ledger.readPauses();
  return { host, changed, pause: pauses.find((pause) => pause.host === host) ?? null };
}

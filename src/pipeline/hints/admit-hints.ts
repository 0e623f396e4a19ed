/** What a webhook run does instead of a walk: it admits the hints of its site that wait into its frontier. */
import { parsePageUrl } from "../../catalog/page-url.ts";
import { siteOf } from "../site-of.ts";
import type { SiteSettings, StageDeps } from "../stage-deps.ts";

/** Hints admitted in one transaction: the settlements of other runs must not wait long. */
const CHUNK_HINTS = 500;
/** Hints of one working of the run. What is left waits for the next one, so that a flood does not keep a scheduled run waiting. */
const MAX_HINTS = 10_000;

interface WebhookRun {
  readonly runId: string;
  readonly process: string;
  readonly host: string;
}

/** Admits what waits, oldest first. The globs are those of now: the configuration may have changed since a hint was received. */
export async function admitHints(deps: StageDeps, run: WebhookRun): Promise<void> {
  const { ledger, clock } = deps;
  if (!deps.sites.has(run.host)) {
    // Not configured any more: the ledger has stopped it in this run.
    return;
  }
  for (let admitted = 0; admitted < MAX_HINTS; admitted += CHUNK_HINTS) {
    const hints = await ledger.listDueHints({ host: run.host, now: clock.now(), limit: CHUNK_HINTS });
    if (hints.length === 0 || !(await admitChunk(deps, run, hints))) {
      return;
    }
  }
}

type DueHints = Awaited<ReturnType<StageDeps["ledger"]["listDueHints"]>>;

/** @returns false when the run takes no more */
async function admitChunk(deps: StageDeps, { runId, process, host }: WebhookRun, hints: DueHints): Promise<boolean> {
  const { ledger, clock, events, limits } = deps;
  const site = siteOf(deps, host);
  const admitted = await ledger.admitHints({
    runId,
    process,
    host,
    now: clock.now(),
    hints: hints.map((hint) => ({ ...hint, excluded: isExcluded(site, hint.url) })),
    refresh: site.refresh,
    intent: site.policy.policy.intent,
    quoteBatchSize: limits.quoteBatchSize,
  });
  const { stale, entered, unchanged, excluded } = admitted;
  if (!stale) {
    events.walked({ host, seen: entered + unchanged + excluded, candidates: entered, ended: true });
  }
  return !stale;
}

/** Also an address that the site does not have any more, because its `host` has another port now. */
function isExcluded(site: SiteSettings, url: string): boolean {
  const parsed = parsePageUrl(url, site.host);
  return !parsed.ok || site.isExcluded(parsed.pageUrl.path);
}

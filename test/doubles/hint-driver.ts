/** Drives the hints of a ledger: notifications as a webhook brings them, and the webhook runs that they enter. */
import { parsePageUrl } from "../../src/catalog/page-url.ts";
import type { HintsAdmitted, NewHint } from "../../src/ledger/hint-ledger.ts";
import { webhookRunKey } from "../../src/ledger/hint-ledger.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { BeginRun } from "../../src/ledger/run-ledger.ts";
import { NOON } from "./ledger-shop.ts";
import { begin, decideBatch, HOST, openAcquire, type QuickDecision, start, toSettlement } from "./ledger-steps.ts";

/** A notification of a page of news.example that was updated an hour before noon. */
export function createHint(path: string, terms: Partial<NewHint> = {}): NewHint {
  const at = terms.at === undefined ? NOON - 3_600_000 : terms.at;
  return {
    subscription: "main",
    host: HOST,
    url: `https://${HOST}${path}`,
    wireUrl: `https://${HOST}${path}`,
    kind: "updated",
    timestamp: at === null ? "yesterday" : new Date(at).toISOString(),
    at,
    source: "delivery",
    state: "waiting",
    ...terms,
  };
}

let processes = 0;

export interface BegunWebhookRun {
  readonly host: string;
  readonly runId: string;
  readonly process: string;
}

/** A process begins or reopens the webhook run of the site and the day of `now`. */
export async function beginWebhookRun(
  ledger: Ledger,
  request: Partial<BeginRun> = {},
  host = HOST,
): Promise<BegunWebhookRun> {
  const now = request.now ?? NOON;
  processes += 1;
  const process = request.process ?? `here:${processes}:w`;
  const begun = await begin(ledger, {
    which: { kind: "webhook", key: webhookRunKey(host, now) },
    trigger: "webhook",
    runId: `run_w${processes}`,
    ...request,
    process,
  });
  if (begun.kind === "alive") {
    throw new Error(`run ${begun.runId} is alive`);
  }
  return { host, runId: begun.spec.runId, process };
}

/** Admits every hint that is due. Pages below `/tag/` are excluded. */
export async function admitDue(ledger: Ledger, run: BegunWebhookRun, now = NOON): Promise<HintsAdmitted> {
  const { host } = run;
  const due = await ledger.listDueHints({ host, now, limit: 1_000 });
  return ledger.admitHints({
    ...run,
    now,
    hints: due.map((hint) => {
      const parsed = parsePageUrl(hint.url, host);
      return { ...hint, excluded: parsed.ok && parsed.pageUrl.path.startsWith("/tag/") };
    }),
    refresh: { when: "modified", maxAgeMs: null },
    intent: "content",
    quoteBatchSize: 100,
  });
}

/** Quotes and decides what was admitted, buys all that is approved, and ends the run. */
export async function buyAdmitted(ledger: Ledger, run: BegunWebhookRun, quick: QuickDecision = {}): Promise<void> {
  const now = quick.now ?? NOON;
  const { runId } = run;
  if ((await decideBatch(ledger, { ...quick, runId, now })).approved > 0) {
    const { leaseId, purchases } = await openAcquire(ledger, { runId, now });
    for (const { purchaseId } of purchases) {
      await start(ledger, leaseId, purchaseId, now);
    }
    for (const { purchaseId } of purchases) {
      await ledger.settlePurchase(toSettlement(purchaseId, { now }));
    }
  }
  await ledger.endRun({ runId, state: "completed", reason: null, now, process: run.process });
}

/** What the process knows of itself and its files. */

import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { RUN_TRIGGERS } from "../../ledger/run-ledger.ts";
import { packageVersion } from "../../package-directory.ts";
import { DEPENDENCIES } from "../process/readiness.ts";
import { DELIVERY_OUTCOMES, NO_WEBHOOK } from "../webhooks/delivery-outcomes.ts";
import { budgetLabels } from "./ledger-metrics.ts";
import { ageSeconds, type Found, type Metrics, type Scrape, type Series } from "./metric.ts";

type Read = (scrape: Scrape & { readonly isLedgerReadable: boolean }) => Found | Promise<Found>;

export const PROCESS_METRICS: Metrics<Read> = {
  "licet_build_info{version,node}": [
    "Always 1; the label says which version of licet runs, on which Node.",
    () => [[packageVersion(), process.versions.node, 1]],
  ],
  licet_ledger_readable: [
    "Whether the figures of this answer come from the ledger. 0: it could not be read, and they are absent.",
    ({ isLedgerReadable }) => (isLedgerReadable ? 1 : 0),
  ],
  licet_ledger_file_bytes: ["The size of the ledger's file.", ({ context }) => readSize(context.config.ledger.path)],
  licet_ledger_wal_bytes: [
    "The size of the ledger's write-ahead log.",
    ({ context }) => readSize(`${context.config.ledger.path}-wal`),
  ],
  licet_ledger_disk_free_bytes: [
    "The free room on the ledger's disk.",
    ({ context }) => readFree(dirname(context.config.ledger.path)),
  ],
  "licet_budget_limit_micros{budget,currency}": [
    "The limit of a budget, in micros of its currency.",
    ({ context }) => context.config.budgets.map((budget) => [...budgetLabels(budget), budget.limitMicros]),
  ],
  "licet_runs_live{trigger}": [
    "Runs of this service that are at work.",
    ({ context }) => {
      const live = context.runs.live();
      return RUN_TRIGGERS.map((trigger) => [trigger, live.filter((run) => run.trigger === trigger).length]);
    },
  ],
  licet_service_lease_age_seconds: [
    "How long ago the ledger confirmed the service's lease.",
    ({ context, now }) => ageSeconds(context.lease.renewedAt(), now),
  ],
  licet_service_fence: [
    "The fence of this service. It grows with each service of the ledger.",
    ({ context }) => context.lease.fence,
  ],
  "licet_dependency_up{dependency}": [
    "Whether a dependency was reachable when it was last probed: 1 or 0, as in /readyz.",
    ({ context }) => {
      const known = new Map(context.readiness.last().map(({ name, ok }) => [name, ok]));
      return DEPENDENCIES.filter((name) => known.has(name)).map((name) => [name, known.get(name) === true ? 1 : 0]);
    },
  ],
  "licet_webhook_deliveries_total{webhook,outcome}": [
    "Webhook deliveries since the service started, by what came of them (docs/vocabulary.md).",
    ({ context }) =>
      [...context.deliveries.counts()].flatMap(([webhook, counts]) =>
        // What comes to no webhook has one outcome.
        DELIVERY_OUTCOMES.filter((outcome) => webhook !== NO_WEBHOOK || outcome === "unknown_path").map(
          (outcome): Series => [webhook, outcome, counts[outcome]],
        ),
      ),
  ],
};

/** 0: there is no such file. */
async function readSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}

/** Null where the file system does not say. */
async function readFree(directory: string): Promise<number | null> {
  try {
    const { bavail, bsize, blocks } = await statfs(directory);
    return blocks > 0 ? bavail * bsize : null;
  } catch {
    return null;
  }
}

/** How people settle reports once the gateway is fixed: they ask its operator, and send refused uses again. */
import { reportAgent } from "../../src/agent/usage/report-agent.ts";
import { listInnocent } from "./checks/5-reported-once.ts";
import type { ProcessJob } from "./process.ts";
import { REPORT_WINDOW_MS } from "./scenario-config.ts";
import type { World } from "./world.ts";

const HOUR_MS = 3_600_000;
/** A report that was not taken is sent again and may be refused in halves. */
const MAX_ROUNDS = 4;
const OPEN_REPORTS = "SELECT count(*) FROM usage_batch WHERE state IN ('frozen', 'needs_reconcile')";

/** @param runAlone lets one process work until its end */
export async function settleAccounts(
  world: World,
  runAlone: (kind: string, job: ProcessJob) => Promise<void>,
): Promise<void> {
  const report = (retryRejected: boolean) =>
    runAlone("report", (resources, bus, signal) => reportAgent(resources, bus, signal, { retryRejected }));
  // A report that was put off by a clock an hour ahead is due by then.
  world.scheduler.advanceTo(world.scheduler.now + 2 * HOUR_MS);
  await report(false);
  for (let round = 0; round < MAX_ROUNDS && count(world, OPEN_REPORTS) > 0; round += 1) {
    // A report that the gateway may have taken, and gives no answer for, needs to be reconciled after its window.
    world.scheduler.advanceTo(world.scheduler.now + REPORT_WINDOW_MS + 2 * HOUR_MS);
    await report(false);
    await runAlone("reconcile", reconcileJob(world));
    await report(false);
  }
  // Where the gateway refuses all of them for good, a retry would stop reporting, and they would wait for ever.
  if (listInnocent({ db: world.db, refusedReports: world.evidence.refusedReports }).length > 0) {
    await report(true);
  }
}

/** Somebody asked the gateway's people which reports they have: the answer is the truth. */
export function reconcileJob({ db, gateway }: World): ProcessJob {
  return async (resources) => {
    const ledger = await resources.ledger("existing");
    const open = db
      .prepare<[], { readonly id: number; readonly idempotencyId: string }>(
        "SELECT id, idempotency_id AS idempotencyId FROM usage_batch WHERE state = 'needs_reconcile'",
      )
      .all();
    for (const { id, idempotencyId } of open) {
      const taken = gateway.account.reports.some(
        (report) => report.outcome === "accepted" && report.idempotencyId === idempotencyId,
      );
      await ledger.resolveReport({ reportId: id, taken, now: resources.clock.now() });
    }
  };
}

function count({ db }: World, sql: string): number {
  return db.prepare<[], number>(sql).pluck().get() ?? 0;
}

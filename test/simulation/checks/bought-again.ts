/** Promise 3, over several runs: a stored page that has not changed is not bought again (design § Policies, `refresh`). */
import type { Evidence, StepRule } from "./evidence.ts";
import { sitesInForce } from "./settings.ts";

export function createBoughtAgain(evidence: Evidence): StepRule {
  // The catalog shows the same date as for what is stored, or none at all, which says nothing of a newer version.
  const findStored = evidence.db
    .prepare<{ id: number; always: number }, number>(
      `SELECT h.id FROM purchase n JOIN purchase h ON h.page_id = n.page_id AND h.id < n.id AND h.intent IN (n.intent, 'content')
       JOIN content c ON c.purchase_id = h.id
       WHERE n.id = @id AND (@always = 1 OR n.last_mod IS NULL OR n.last_mod = h.last_mod) LIMIT 1`,
    )
    .pluck();
  return (step) => {
    for (const { before, now } of step.purchases) {
      const refreshes = sitesInForce(evidence, now.host).map(({ refresh }) => refresh);
      if (before !== null || refreshes.includes("always")) {
        continue;
      }
      const stored = findStored.get({ id: now.id, always: refreshes.includes("modified") ? 0 : 1 });
      if (stored !== undefined) {
        const detail = `purchase ${now.id} of ${now.url} buys what purchase ${stored} stored unchanged`;
        return { promise: 3, rule: "unchanged-is-not-bought-again", detail };
      }
    }
    return null;
  };
}

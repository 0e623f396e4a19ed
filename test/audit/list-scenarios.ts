import { toMicros } from "../../src/money/micros.ts";
import { ON_DEMAND } from "../doubles/ledger-shop.ts";
import { openAcquire, start, toSettlement, toSite } from "../doubles/ledger-steps.ts";
import { beginList, decideListed, recordPaths, toListed } from "../doubles/list-driver.ts";
import { DAY_MS, NOON } from "./crawling.ts";
import type { Scenario } from "./scenarios.ts";

const LATER = NOON + 50 * DAY_MS;
const RUN = { runId: "run_of_list", process: "here:1:audited" };

/** Lists, read to their end and not. */
export const LIST_SCENARIOS: readonly Scenario[] = [
  {
    name: "a list with caps, values, keys and licences, of which a page was bought and lines were left out",
    async fill(ledger) {
      const { licenseType, cuid } = ON_DEMAND;
      const maxPrice = { micros: toMicros(10_000), currency: "USD" };
      const terms = { maxPrice, license: { licenseType, cuid }, value: 2 };
      const site = toSite();
      await beginList(ledger, { ...RUN, now: LATER, sites: [site], configured: [site] });
      await recordPaths(
        ledger,
        [
          toListed("/list/1", 1, { terms, key: "doc-1" }),
          toListed("/list/1", 2, { key: "doc-2" }),
          toListed("/tag/list", 3, { excluded: true }),
        ],
        { ...RUN, now: LATER, lines: 4, rejected: [{ line: 4, reason: "not_json", raw: "{" }] },
      );
      await decideListed(ledger, { runId: RUN.runId, now: LATER });
      const { leaseId, purchases } = await openAcquire(ledger, { runId: RUN.runId, now: LATER });
      for (const { purchaseId } of purchases) {
        await start(ledger, leaseId, purchaseId, LATER);
        await ledger.settlePurchase(toSettlement(purchaseId, { now: LATER }));
      }
      await ledger.endRun({ runId: RUN.runId, state: "completed", reason: null, now: LATER, process: RUN.process });
    },
  },
];

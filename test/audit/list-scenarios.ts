import { toMicros } from "../../src/money/micros.ts";
import { ON_DEMAND } from "../doubles/ledger-shop.ts";
import {
  leaseOne,
  openAcquire,
  start,
  toApproval,
  toDecideRequest,
  toRate,
  toSettlement,
  toSite,
} from "../doubles/ledger-steps.ts";
import { beginList, decideListed, recordPaths, toListed } from "../doubles/list-driver.ts";
import { DAY_MS, NOON } from "./crawling.ts";
import type { Scenario } from "./scenarios.ts";

const PLANNED = "from-a-plan.example";
const PLAN_RUN = { runId: "run_of_plan", process: "here:2:audited" };
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
      await beginList(ledger, { ...RUN, now: NOON, sites: [site], configured: [site] });
      await recordPaths(
        ledger,
        [
          toListed("/list/1", 1, { terms, key: "doc-1" }),
          toListed("/list/1", 2, { key: "doc-2" }),
          toListed("/tag/list", 3, { excluded: true }),
        ],
        { ...RUN, now: NOON, lines: 4, rejected: [{ line: 4, reason: "not_json", raw: "{" }] },
      );
      const rate = { ...toRate(10_000), validUntilAt: NOON + 30 * DAY_MS };
      await decideListed(ledger, { runId: RUN.runId, now: NOON, rate, retentionMs: 60 * DAY_MS });
      const { leaseId, purchases } = await openAcquire(ledger, { runId: RUN.runId, now: NOON });
      for (const { purchaseId } of purchases) {
        await start(ledger, leaseId, purchaseId, NOON);
        await ledger.settlePurchase(toSettlement(purchaseId, { now: NOON, validUntilAt: NOON + 20 * DAY_MS }));
      }
      await ledger.endRun({ runId: RUN.runId, state: "completed", reason: null, now: NOON, process: RUN.process });
    },
  },
  {
    name: "a plan that is being bought from the best page down, and was not read to its end",
    async fill(ledger) {
      const site = toSite({ host: PLANNED });
      const plan = { createdAt: NOON - 1, digest: "ab".repeat(32), basis: await ledger.readPlanBasis() };
      const which = { kind: "list", source: "plan", path: "/plans/week.jsonl", plan } as const;
      await beginList(ledger, { ...PLAN_RUN, which, sites: [site], configured: [site] });
      const { licenseType, cuid } = ON_DEMAND;
      const listed = (path: string, line: number, micros: number) => {
        const maxPrice = { micros: toMicros(micros), currency: "USD" };
        return toListed(path, line, {
          host: PLANNED,
          terms: { maxPrice, license: { licenseType, cuid }, value: line },
        });
      };
      await recordPaths(
        ledger,
        [listed("/plan/1", 2, 9_000), listed("/plan/2", 3, 8_000), listed("/plan/3", 4, 7_000)],
        {
          ...PLAN_RUN,
          lines: 5,
          isRead: false,
          rejected: [{ line: 5, reason: "not_json", raw: "[" }],
          sites: [{ host: PLANNED, refresh: { when: "modified", maxAgeMs: null }, intent: "content" }],
          quoteBatchSize: 3,
        },
      );
      const { leaseId } = await leaseOne(ledger, "quote", { runId: PLAN_RUN.runId });
      const pages = (await ledger.openQuoteBatch(leaseId))?.pages ?? [];
      const decisions = pages.map(({ pageId }, index) =>
        toApproval(pageId, { ...toRate(9_000 - 1_000 * index), validUntilAt: NOON + DAY_MS }),
      );
      const worth = decisions.map((decision) => ({ ...decision, value: 3 }));
      const record = { leaseId, now: NOON, order: "value", policyName: "standard" } as const;
      await ledger.recordCandidates({ ...record, decisions: worth });
      const terms = toDecideRequest(leaseId, decisions.slice(0, 1));
      await ledger.decideCandidates({ ...terms, ...PLAN_RUN, sites: [{ host: PLANNED, ...terms }], noRoom: "keep" });
    },
  },
];

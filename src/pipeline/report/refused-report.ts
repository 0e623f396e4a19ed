/** Classifies an answer to a usage report that is not a list of receipts (decisions 0011 and 0018). */
import type { ReportAnswer } from "../../gateway/gateway.ts";
import type { FrozenReport, UsageLedger } from "../../ledger/usage-ledger.ts";

type Refusal = Exclude<ReportAnswer, { kind: "accepted" }>;

/**
 * - `rejected`: the gateway refused the entries for good.
 * - `open`: this attempt or an earlier one may have been accepted. The report must not change.
 * - `not_taken`: this attempt certainly was not accepted. The same bytes may be sent again.
 * - `misplaced`: this attempt was not accepted either, and the account or the address is refused. The gateway would refuse every
 * report.
 */
export type RefusalMeaning = "rejected" | "open" | "not_taken" | "misplaced";

/** Statuses about the endpoint, independent of the report's content. */
const OF_ENDPOINT: ReadonlySet<number> = new Set([405, 415]);

/**
 * Once an attempt of a report has an unknown outcome, the gateway may have recorded its uses. It may then answer the repeated id
 * with any status, so no refusal ends or halves the report. A size limit does not refuse a single entry for good either.
 */
export async function classifyRefusal(
  ledger: Pick<UsageLedger, "countPendingUses">,
  { unknownAttempts, entries }: FrozenReport,
  answer: Refusal,
): Promise<RefusalMeaning> {
  const isRepeated = unknownAttempts > 0;
  switch (answer.kind) {
    case "unanswered":
      return answer.mayBeTaken ? "open" : "not_taken";
    case "unauthorized":
      return "misplaced";
    case "rejected":
      if (OF_ENDPOINT.has(answer.status)) {
        return "misplaced";
      }
      if (isRepeated) {
        return "open";
      }
      if (answer.status === 404 && (await neverReported(ledger))) {
        return "misplaced";
      }
      return answer.status === 413 && entries.length === 1 ? "not_taken" : "rejected";
    default:
      return answer satisfies never;
  }
}

/** A 404 may concern a page, but hardly before any report was ever accepted. */
async function neverReported(ledger: Pick<UsageLedger, "countPendingUses">): Promise<boolean> {
  return (await ledger.countPendingUses()).reported === 0;
}

/** The message when the first entries that were sent alone were refused, and none was accepted. */
export function describeAllRefused(
  count: number,
  { status, detail }: { readonly status: number; readonly detail: string },
): string {
  return `the gateway refused each of the first ${count} uses that were reported alone (${status}: ${detail}) and accepted none: a setting is probably wrong, not the uses. All uses are kept. Check gateway.service, gateway.licenseIdField, gateway.reportPermissions and gateway.agentId, then run licet report`;
}

/** The message when the gateway would refuse every report. */
export function describeMisplaced({ status, detail }: { readonly status: number; readonly detail: string }): string {
  return status === 401 || status === 403
    ? `the gateway refused the report (${status}): ${detail}; nothing is lost, check the API key and its rights`
    : `the gateway answered ${status} to a report: its address may be wrong; nothing is lost, check gateway.service and gateway.paths.selfReport`;
}

/** What an answer other than receipts means for a usage report (decisions 0011 and 0018). */
import type { ReportAnswer } from "../gateway/gateway.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { FrozenReport } from "../ledger/usage-ledger.ts";

type Refusal = Exclude<ReportAnswer, { kind: "accepted" }>;

/**
 * - `rejected`: what was reported is refused for good.
 * - `open`: it may have been taken, by this attempt or an earlier one. It must not move.
 * - `not_taken`: this attempt certainly was not taken; the same bytes may be sent again.
 * - `misplaced`: nor was it, and it is the account or the address that is refused: every report would be.
 */
export type RefusalMeaning = "rejected" | "open" | "not_taken" | "misplaced";

/** About the endpoint, whatever was reported. */
const OF_ENDPOINT: ReadonlySet<number> = new Set([405, 415]);

/**
 * Once an attempt of a report has an unknown outcome, the gateway may have its uses, and may answer the repeated id with any status:
 * no refusal ends or halves it then. Nor does a size limit refuse a single entry for good.
 */
export async function classifyRefusal(
  ledger: Ledger,
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

/** A 404 may be about a page, but hardly before any report was ever accepted. */
async function neverReported(ledger: Ledger): Promise<boolean> {
  return (await ledger.readStatus({ runs: 0 })).usage.reported === 0;
}

/** What a person reads where the first entries that were sent alone were refused, and nothing was taken. */
export function describeAllRefused(
  count: number,
  { status, detail }: { readonly status: number; readonly detail: string },
): string {
  return `the gateway refused each of the first ${count} uses that were reported alone (${status}: ${detail}) and took none: it is rather a setting that is wrong than the uses. Everything is kept. Check gateway.service, gateway.licenseIdField, gateway.reportPermissions and gateway.agentId, then run licet report`;
}

/** What a person reads where every report would be refused. */
export function describeMisplaced({ status, detail }: { readonly status: number; readonly detail: string }): string {
  return status === 401 || status === 403
    ? `the gateway refused the report (${status}): ${detail}; nothing is lost, check the API key and its rights`
    : `the gateway answered ${status} to a report: it may not be where reports go; nothing is lost, check gateway.service and gateway.paths.selfReport`;
}

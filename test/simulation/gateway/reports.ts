/** Self-reported usage (gateway-spec § Endpoints 3): all or nothing, and counted once by its id. */
import type { ReceivedReport, ReportedUse } from "./account.ts";
import { jsonAnswer, problem, toLicense } from "./answers.ts";
import { type Arrival, Protest, readFields, requireList, requireObject, requireText, requireWhole } from "./arrival.ts";
import type { Books } from "./books.ts";
import type { ModelAnswer } from "./model-gateway.ts";
import { findLastRate } from "./published.ts";
import { readCuid } from "./sales.ts";

/** What became of a report, while it is being found out. */
export interface ReportDraft {
  idempotencyId: string;
  outcome: ReceivedReport["outcome"];
  uses: readonly ReportedUse[];
}

export function takeReport(books: Books, arrival: Arrival, draft: ReportDraft): ModelAnswer {
  const { pages, accepted, options } = books;
  const fields = readFields(arrival);
  const body = arrival.text ?? "";
  draft.idempotencyId = requireText(fields, "idempotencyId");
  draft.uses = requireList(fields, "usage").map(readUse);
  const known = accepted.get(draft.idempotencyId);
  if (known !== undefined) {
    if (known.body !== body) {
      throw new Protest(409, `the report ${draft.idempotencyId} came again with another body`);
    }
    draft.outcome = "repeated";
    return known.answer;
  }
  if (draft.uses.some(({ url }) => pages.get(url)?.refusesReports)) {
    return problem(400, "the report names a page of which none are taken");
  }
  const receipts = draft.uses.map((use) => toReceipt(use, books));
  const answer = jsonAnswer(options.reportShape === "array" ? receipts : { receipts });
  accepted.set(draft.idempotencyId, { body, answer });
  draft.outcome = "accepted";
  return answer;
}

function readUse(entry: unknown): ReportedUse {
  const fields = requireObject(entry, "a usage entry");
  return {
    url: requireText(fields, "url"),
    licenseType: requireText(fields, "licenseType"),
    licenseCuid: readCuid(fields),
    times: requireWhole(fields.timesUsed, "timesUsed", 1),
  };
}

/** At the price of this moment, or the last one of what is no longer on offer. */
function toReceipt({ url, licenseType, licenseCuid, times }: ReportedUse, { pages }: Books) {
  const page = pages.get(url);
  const rate = page === undefined ? undefined : findLastRate(page, licenseType, licenseCuid);
  if (rate === undefined) {
    throw new Protest(400, `a use of ${url} was reported with ${licenseType} ${licenseCuid}, which was never on offer`);
  }
  return {
    url,
    perUnitPriceMicros: rate.micros,
    totalUsePriceMicros: rate.micros * times,
    currency: rate.currency,
    license: toLicense(rate, "cuid"),
  };
}

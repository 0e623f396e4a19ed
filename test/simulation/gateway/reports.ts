/** Self-reported usage (gateway-spec § Endpoints 3): all or nothing, and counted once by its id. */
import type { ReceivedReport, ReportedUse } from "./account.ts";
import { jsonAnswer, problem, toLicense } from "./answers.ts";
import { type Arrival, Protest, readFields, requireList, requireObject, requireText, requireWhole } from "./arrival.ts";
import type { GatewayState } from "./gateway-state.ts";
import type { ModelAnswer } from "./model-gateway.ts";
import { findLastRate, findPage } from "./published.ts";
import { readCuid } from "./sales.ts";

/** What became of a report, while it is being found out. */
export interface ReportDraft {
  idempotencyId: string;
  outcome: ReceivedReport["outcome"];
  uses: readonly ReportedUse[];
}

export function takeReport(state: GatewayState, arrival: Arrival, draft: ReportDraft): ModelAnswer {
  const { accepted, traits, isFixed } = state;
  const fields = readFields(arrival);
  const body = arrival.text ?? "";
  draft.idempotencyId = requireText(fields, "idempotencyId");
  draft.uses = requireList(fields, "usage").map((entry) => readUse(state, entry));
  const known = accepted.get(draft.idempotencyId);
  if (known !== undefined) {
    if (known.body !== body) {
      throw new Protest(409, `the report ${draft.idempotencyId} came again with another body`);
    }
    draft.outcome = "repeated";
    known.repeats += 1;
    const { status, times } = traits.repeatedId ?? { status: 200, times: 0 };
    return known.repeats > times ? known.answer : problem(status, `the report ${draft.idempotencyId} was taken before`);
  }
  if (traits.refusesReports !== null && !isFixed) {
    return problem(traits.refusesReports, "no report is taken from this account");
  }
  if (draft.uses.some(({ url }) => state.pages.get(url)?.refusesReports)) {
    return problem(400, "the report names a page of which none are taken");
  }
  const receipts = spoil(
    draft.uses.map((use) => toReceipt(use, state)),
    traits.receipts,
  );
  const answer = jsonAnswer(state.options.reportShape === "array" ? receipts : { receipts });
  accepted.set(draft.idempotencyId, { body, answer, repeats: 0 });
  draft.outcome = "accepted";
  return answer;
}

function readUse(state: GatewayState, entry: unknown): ReportedUse {
  const fields = requireObject(entry, "a usage entry");
  const spelling = requireText(fields, "url");
  return {
    url: findPage(state, spelling)?.url ?? spelling,
    spelling,
    licenseType: requireText(fields, "licenseType"),
    licenseCuid: readCuid(fields),
    times: requireWhole(fields.timesUsed, "timesUsed", 1),
  };
}

/** At the price of this moment, or the last one of what is no longer on offer. */
function toReceipt({ url, spelling, licenseType, licenseCuid, times }: ReportedUse, { pages }: GatewayState) {
  const page = pages.get(url);
  const rate = page === undefined ? undefined : findLastRate(page, licenseType, licenseCuid);
  if (rate === undefined) {
    throw new Protest(400, `a use of ${url} was reported with ${licenseType} ${licenseCuid}, which was never on offer`);
  }
  return {
    url: spelling,
    perUnitPriceMicros: rate.micros,
    totalUsePriceMicros: rate.micros * times,
    currency: rate.currency,
    license: toLicense(rate, "cuid"),
  };
}

type Receipt = ReturnType<typeof toReceipt>;

/** What was counted is right; what is said of it is not. */
function spoil(receipts: readonly Receipt[], trait: GatewayState["traits"]["receipts"]): readonly Receipt[] {
  const [first, ...rest] = receipts;
  if (first === undefined) {
    return receipts;
  }
  switch (trait) {
    case "right":
      return receipts;
    case "missing":
      return rest;
    case "surplus":
      return [first, ...receipts];
    case "wrong_total":
      return [{ ...first, totalUsePriceMicros: first.totalUsePriceMicros + 7 }, ...rest];
    case "other_currency":
      return [{ ...first, currency: "GBP" }, ...rest];
    default:
      return trait satisfies never;
  }
}

/** What came of one page of a fetch, in the words of its result. */
import type { PageUrlFault } from "../../catalog/page-url.ts";
import type { SiteConfig } from "../../config/config.ts";
import type { LicetError } from "../../errors.ts";
import type { FetchedPage } from "../../ledger/fetch-ledger.ts";
import type { SiteSummary, StoredDocument } from "../../ledger/ledger-reports.ts";
import { describeRule } from "../../policy/describe-rule.ts";
import type { FetchResult } from "./fetch-report.ts";

/** A result without the URL: two URLs may name one page. */
export type FetchAnswer = Omit<FetchResult, "url">;

const NOTHING = {
  document: null,
  priceMicros: null,
  currency: null,
  rule: null,
  detail: null,
  hint: null,
  purchaseId: null,
} as const;

export function answerWith(outcome: "stored" | "bought", document: StoredDocument): FetchAnswer {
  const { priceMicros, currency, rule, purchaseId } = document;
  return { ...NOTHING, outcome, document, priceMicros, currency, rule, reason: null, purchaseId };
}

/** @param url the identity of the page; it may be held under the other scheme */
export function answerHeld(url: string, document: StoredDocument): FetchAnswer {
  const detail = document.url === url ? null : `it is held as ${document.url}, and is not bought under both schemes`;
  return { ...answerWith("stored", document), detail };
}

export function answerInvalid(fault: PageUrlFault): FetchAnswer {
  const hint = "Give the full URL, such as https://news.example/2026/article";
  return { ...NOTHING, outcome: "invalid", reason: fault, detail: "it is not the URL of a page", hint };
}

export function answerNotConfigured(host: string): FetchAnswer {
  const detail = `${host} is not a configured site, and the page is not held`;
  return { ...NOTHING, outcome: "not_configured", reason: "not_configured", detail, hint: 'Add it under "sites".' };
}

export function answerExcluded({ host }: SiteConfig): FetchAnswer {
  const detail = `the include and exclude globs of ${host} leave the page out`;
  return { ...NOTHING, outcome: "excluded", reason: "excluded", detail, hint: "`licet explain URL` names the glob." };
}

/** @param why what keeps a stored version from being used. Null: none is stored */
export function answerNotHeld(why: string | null): FetchAnswer {
  const hint = "Nothing is bought by a call that only reads what is held.";
  return {
    ...NOTHING,
    outcome: "not_stored",
    reason: why === null ? "not_stored" : "rights_ended",
    detail: why ?? "the page is not held",
    hint,
  };
}

export function answerFailed(error: LicetError): FetchAnswer {
  const { code, message, hint = null } = error;
  return { ...NOTHING, outcome: "failed", reason: code, detail: message, hint };
}

/** @param site what its run says of the site of a page that it left undecided */
export function answerStopped(site: Pick<SiteSummary, "host" | "stop" | "stopDetail"> | null): FetchAnswer {
  const { host = "its site", stop = null, stopDetail = null } = site ?? {};
  return {
    ...NOTHING,
    outcome: "failed",
    reason: stop ?? "undecided",
    detail: stop === null ? "the run ended before the page was decided" : `${host} is stopped: ${stopDetail ?? stop}`,
    hint: "`licet status` lists what is open.",
  };
}

/** @param why as a sentence */
export function answerRightsEnded(why: string): FetchAnswer {
  const hint = "`licet explain URL` says whether the next run buys it again.";
  return { ...NOTHING, outcome: "denied", reason: "rights_ended", detail: why, hint };
}

/** The page is still being bought, or nobody can say. @param runId the run that has it */
export function answerUnderWay(runId: string | null, isDead: boolean): FetchAnswer {
  const who = runId === null ? "another run" : `run ${runId}`;
  return {
    ...NOTHING,
    outcome: "failed",
    reason: "already_open",
    detail: isDead
      ? `${who} was buying the page when its process died`
      : `${who} is buying the page, and did not end in time`,
    hint: isDead ? "The next `licet run` finishes its purchases." : "Ask again: what it bought is then held.",
  };
}

/** @param page what the run did with it, other than to buy it */
export function answerNotBought(page: FetchedPage, site: SiteConfig): FetchAnswer {
  if (page.kind === "denial") {
    return page.reason === "in_doubt" && page.doubt !== null ? answerInDoubt(page.doubt) : answerDenied(page, site);
  }
  const { purchaseId, state, rule, reason, detail, quotedMicros, currency } = page;
  if (state === "in_doubt") {
    return { ...answerInDoubt({ purchaseId, quotedMicros, currency }), rule, reason, detail };
  }
  return { ...NOTHING, outcome: "failed", rule, reason: reason ?? state, detail, purchaseId };
}

type Denial = Extract<FetchedPage, { kind: "denial" }>;

function answerInDoubt({ purchaseId, quotedMicros, currency }: NonNullable<Denial["doubt"]>): FetchAnswer {
  return {
    ...NOTHING,
    outcome: "in_doubt",
    priceMicros: quotedMicros,
    currency,
    reason: "in_doubt",
    detail: `purchase ${purchaseId} of the page may have been charged, and its content never arrived`,
    hint: `Ask the gateway's operator, then: licet resolve ${purchaseId} --charged | --not-charged`,
    purchaseId,
  };
}

function answerDenied({ reason, ruleIndex, detail }: Denial, { policy }: SiteConfig): FetchAnswer {
  const rule = ruleIndex === null ? undefined : policy.rules[ruleIndex];
  return {
    ...NOTHING,
    outcome: "denied",
    rule: rule === undefined ? null : describeRule(rule),
    reason,
    detail: reason === "max_price" ? "it costs more than maxPrice of this call allows, fees included" : detail,
    hint: "`licet explain URL` shows the rates, the rules and the budgets of the page.",
  };
}

import { type Answer, jsonAnswer, refuse, type SandboxRequest } from "../http/answer.ts";
import { findAgent, findPage } from "../http/guards.ts";
import type { Page, PageFormat } from "../pages/page.ts";
import { createRate, findRate, type Rate, toWireRate } from "../pricing/rate.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { CheckedToken, ContentTerms } from "../tokens.ts";

/** How far an `over-charge` fault goes beyond the cap. */
const OVER_CHARGE_MICROS = 1_000;

/**
 * Get Content and Index Content. The kind of the token decides which one it is. The token is
 * spent and the page charged in one turn of the event loop, after all checks.
 */
export function getContent(request: SandboxRequest, state: SandboxState): Answer {
  const agent = findAgent(request.headers["user-agent"], state);
  if (agent === null) {
    refuse(401, "agent-unknown", "the User-Agent header must contain a registered AgentID");
  }
  const token = checkToken(request, state);
  const page = findPage(request.segment, state);
  if (token.url !== page.url) {
    refuse(401, "token-other-url", "the token was issued for another URL");
  }
  if (!(request.headers["user-agent"] as string).includes(token.userAgent)) {
    refuse(401, "token-other-agent", "the token was issued for another user agent");
  }
  const format = chooseFormat(request, state, token.terms?.format);

  if (token.terms === undefined) {
    if (!page.indexing) {
      refuse(400, "indexing-disallowed", "the publisher does not allow indexing");
    }
    const prefix = state.cache.contentPrefix(page, format);
    state.tokens.spend(token);
    return jsonAnswer(`${prefix}}`);
  }
  const rate = chooseRate(page, token.terms, request, state);
  // Rendered before the token is spent: a page that cannot be rendered must not be charged.
  const prefix = state.cache.contentPrefix(page, format);
  state.tokens.spend(token);
  state.account.charge({ at: state.clock.now(), url: page.url, rate, tokenId: token.tokenId, agent });
  return jsonAnswer(`${prefix},"rate":${toRateJson(rate)}}`);
}

function checkToken(request: SandboxRequest, state: SandboxState): CheckedToken {
  const { headers, tokenScheme } = state.names;
  const header = request.headers[headers.token.key];
  const token = typeof header !== "string" ? "" : withoutScheme(header, tokenScheme);
  if (token === "") {
    refuse(401, "token-missing", `the ${headers.token.name} header is missing`);
  }
  const checked = state.tokens.check(token);
  if (typeof checked !== "string") {
    return checked;
  }
  const details = {
    "token-malformed": "the token is not one of this gateway",
    "token-signature": "the token's signature is wrong",
    "token-expired": "the token has expired",
    "token-spent": "the token has been used already",
  };
  refuse(401, checked, details[checked]);
}

/** The token. Empty when the required scheme does not precede it. */
function withoutScheme(header: string, scheme: string | null): string {
  if (scheme === null) {
    return header;
  }
  const prefix = `${scheme} `;
  return header.toLowerCase().startsWith(prefix.toLowerCase()) ? header.slice(prefix.length).trim() : "";
}

function chooseFormat(request: SandboxRequest, state: SandboxState, tokenFormat: PageFormat | undefined): PageFormat {
  const header = request.headers[state.names.headers.acceptContent.key];
  if (header === undefined || header === "") {
    return tokenFormat ?? "markdown";
  }
  const type = String(header).split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "text/html" && type !== "text/markdown") {
    const { name } = state.names.headers.acceptContent;
    refuse(400, "format-invalid", `${name} must be text/html or text/markdown`);
  }
  const format = type === "text/html" ? "html" : "markdown";
  if (tokenFormat === undefined || tokenFormat === format) {
    return format;
  }
  refuse(400, "format-conflict", "the wanted format is not the one that the token was issued for");
}

function chooseRate(page: Page, terms: ContentTerms, request: SandboxRequest, state: SandboxState): Rate {
  const rate = findRate(state.rateBook.ratesOf(page.url).rates, terms.licenseType, terms.licenseCuid);
  if (rate === undefined) {
    refuse(400, "license-not-offered", "the page no longer offers the licence of the token");
  }
  if (rate.priceMicros > terms.maxPriceMicros || rate.currency !== terms.currency) {
    refuse(400, "price-above-cap", "the page's rate is now above the token's maxPriceMicros");
  }
  if (request.fault !== "over-charge") {
    return rate;
  }
  state.faults.countFired("over-charge");
  return createRate({ ...rate, priceMicros: terms.maxPriceMicros + OVER_CHARGE_MICROS });
}

const rateTexts = new WeakMap<Rate, string>();

/** Many pages share a rate, so its text is created once. */
function toRateJson(rate: Rate): string {
  let text = rateTexts.get(rate);
  if (text === undefined) {
    text = JSON.stringify(toWireRate(rate, "id"));
    rateTexts.set(rate, text);
  }
  return text;
}

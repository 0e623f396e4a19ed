import { type Answer, jsonAnswer, refuse, type SandboxRequest } from "../http/answer.ts";
import { isAbsoluteHttpUrl } from "../http/content-path.ts";
import { findAgent, findPageByUrl, readFields, requireKey } from "../http/guards.ts";
import type { Page } from "../pages/page.ts";
import { findRate, LICENSE_TYPES } from "../pricing/rate.ts";
import type { SandboxState } from "../sandbox-state.ts";

/** Issues a content token. Refuses a cap below the page's current rate. */
export function postContentToken(request: SandboxRequest, state: SandboxState): Answer {
  const asked = readTokenRequest(request, state);
  const { page, userAgent, fields } = asked;
  const { maxPriceMicros, currency, licenseType, format } = fields;
  // Some clients send an empty text for "none".
  const licenseCuid = fields.licenseCuid === "" ? undefined : fields.licenseCuid;
  if (typeof maxPriceMicros !== "number" || !Number.isSafeInteger(maxPriceMicros) || maxPriceMicros < 0) {
    invalid("maxPriceMicros must be a whole number of micros, 0 or more");
  }
  if (typeof currency !== "string" || !/^[A-Z]{3}$/.test(currency)) {
    invalid("currency must be a currency code");
  }
  if (!LICENSE_TYPES.includes(licenseType as never)) {
    invalid(`licenseType must be one of ${LICENSE_TYPES.join(", ")}`);
  }
  if (licenseCuid !== undefined && typeof licenseCuid !== "string") {
    invalid("licenseCuid must be a licence identifier");
  }
  if (licenseType === "CUSTOM_LICENSE" && licenseCuid === undefined) {
    invalid("licenseCuid is required for CUSTOM_LICENSE");
  }
  if (format !== undefined && format !== "html" && format !== "markdown") {
    invalid("format must be html or markdown");
  }
  if (request.fault === "price-rise") {
    state.rateBook.raise(page.url);
    state.faults.countFired("price-rise");
  }
  const rate = findRate(state.rateBook.ratesOf(page.url).rates, licenseType as string, licenseCuid);
  if (rate === undefined) {
    refuse(400, "license-not-offered", "the page offers no rate with this licence");
  }
  if (rate.currency !== currency) {
    refuse(400, "currency-mismatch", `the page's rate is in ${rate.currency}`);
  }
  if (rate.priceMicros > maxPriceMicros) {
    refuse(400, "price-above-cap", "the page's rate is above maxPriceMicros");
  }
  return issue(request, state, {
    url: page.url,
    userAgent,
    terms: { maxPriceMicros, currency, licenseType: rate.licenseType, licenseCuid: rate.cuid, ...asFormat(format) },
  });
}

/** Issues an indexing token. The content request checks whether indexing is allowed. */
export function postIndexingToken(request: SandboxRequest, state: SandboxState): Answer {
  const asked = readTokenRequest(request, state);
  return issue(request, state, { url: asked.page.url, userAgent: asked.userAgent });
}

function readTokenRequest(
  request: SandboxRequest,
  state: SandboxState,
): { page: Page; userAgent: string; fields: Record<string, unknown> } {
  requireKey(request, state);
  const fields = readFields(request);
  const { url, userAgent } = fields;
  if (typeof url !== "string" || !isAbsoluteHttpUrl(url)) {
    invalid("url must be an absolute http or https URL");
  }
  if (typeof userAgent !== "string" || findAgent(userAgent, state) === null) {
    invalid("userAgent must contain a registered AgentID");
  }
  const page = findPageByUrl(url, state);
  if (page.access === "refused") {
    refuse(400, "access-refused", "the publisher refuses access to this page");
  }
  return { page, userAgent, fields };
}

function issue(request: SandboxRequest, state: SandboxState, binding: Parameters<SandboxState["tokens"]["issue"]>[0]) {
  if (request.fault !== "token-expired") {
    return jsonAnswer(`{"token":"${state.tokens.issue(binding)}"}`);
  }
  state.faults.countFired("token-expired");
  return jsonAnswer(`{"token":"${state.tokens.issue({ ...binding, expired: true })}"}`);
}

function invalid(detail: string): never {
  refuse(400, "parameter-invalid", detail);
}

function asFormat(format: "html" | "markdown" | undefined) {
  return format === undefined ? {} : { format };
}

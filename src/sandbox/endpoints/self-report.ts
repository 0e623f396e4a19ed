import type { BookedUse } from "../books/account.ts";
import { hashBody } from "../books/report-log.ts";
import { type Answer, jsonAnswer, refuse, type SandboxRequest } from "../http/answer.ts";
import { findAgent, readFields, requireKey } from "../http/guards.ts";
import { LICENSE_TYPES, toWireLicense } from "../pricing/rate.ts";
import type { SandboxState } from "../sandbox-state.ts";

const MAX_ID_CHARS = 255;

/**
 * Self Report Usage. All or nothing: one bad entry refuses the report.
 *
 * *Idempotent by* `idempotencyId`: the same bytes again give the same answer again and are counted once; other bytes under a
 * known id are refused with 409. A refused report leaves its id free.
 */
export function postSelfReport(request: SandboxRequest, state: SandboxState): Answer {
  requireKey(request, state);
  requireAgent(request, state);
  const { idempotencyId, usage } = readFields(request);
  if (typeof idempotencyId !== "string" || idempotencyId === "" || idempotencyId.length > MAX_ID_CHARS) {
    invalid(`idempotencyId must be a text of 1 to ${MAX_ID_CHARS} characters`);
  }
  const bodyHash = hashBody(request.body);
  const known = state.reports.find(idempotencyId);
  if (known !== null) {
    if (known.bodyHash !== bodyHash) {
      refuse(409, "idempotency-conflict", "this idempotencyId was used for another body");
    }
    return renderReceipts(state.account.usesFrom(known.firstUse, known.useCount), request, state);
  }
  const { maxUsageEntries } = state.limits;
  if (!Array.isArray(usage) || usage.length === 0 || usage.length > maxUsageEntries) {
    invalid(`usage must be an array of 1 to ${maxUsageEntries} entries`);
  }
  const uses: BookedUse[] = [];
  for (let index = 0; index < usage.length; index += 1) {
    const use = readUse(usage[index], idempotencyId, state);
    if (typeof use === "string") {
      invalid(`usage[${index}]${use}`);
    }
    uses.push(use);
  }
  const firstUse = state.account.report(uses);
  state.reports.add(idempotencyId, { bodyHash, firstUse, useCount: uses.length });
  return renderReceipts(uses, request, state);
}

function requireAgent(request: SandboxRequest, state: SandboxState): void {
  const { key, name } = state.names.headers.reportAgent;
  if (findAgent(request.headers[key], state) === null) {
    refuse(401, "agent-unknown", `the ${name} header must contain a registered AgentID`);
  }
}

/** One entry, or what is wrong with it. */
function readUse(entry: unknown, idempotencyId: string, state: SandboxState): BookedUse | string {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    return " must be an object";
  }
  const { url, timesUsed, licenseType, licenseCuid, licenseId } = entry as Record<string, unknown>;
  if (typeof url !== "string") {
    return ".url must be a text";
  }
  if (typeof timesUsed !== "number" || !Number.isSafeInteger(timesUsed) || timesUsed < 1) {
    return ".timesUsed must be a whole number of 1 or more";
  }
  if (!LICENSE_TYPES.includes(licenseType as never)) {
    return `.licenseType must be one of ${LICENSE_TYPES.join(", ")}`;
  }
  // Some clients send an empty text for "none".
  const cuid = [licenseCuid, licenseId].find((given) => given !== undefined && given !== "");
  if (cuid !== undefined && typeof cuid !== "string") {
    return ".licenseCuid must be a text";
  }
  if (licenseType === "CUSTOM_LICENSE" && cuid === undefined) {
    return ".licenseCuid is required for CUSTOM_LICENSE";
  }
  const page = state.siteIndex.find(url);
  if (page === null) {
    return ".url is not a page of this gateway";
  }
  const rate = state.rateBook.findForReport(page.url, licenseType as string, cuid);
  if (rate === undefined) {
    return " names a licence that the page does not offer";
  }
  const totalMicros = BigInt(rate.priceMicros) * BigInt(timesUsed);
  if (totalMicros > BigInt(Number.MAX_SAFE_INTEGER)) {
    return ".timesUsed is too large to be priced exactly";
  }
  return { idempotencyId, url, rate, times: timesUsed };
}

function renderReceipts(uses: readonly BookedUse[], request: SandboxRequest, state: SandboxState): Answer {
  const results = uses.map(({ url, rate, times }) => ({
    url,
    perUnitPriceMicros: rate.priceMicros,
    totalUsePriceMicros: rate.priceMicros * times,
    currency: rate.currency,
    license: toWireLicense(rate, state.names.licenseIdName),
  }));
  if (request.fault === "receipt-short") {
    results.pop();
    state.faults.countFired("receipt-short");
  }
  const [first] = results;
  if (request.fault === "receipt-wrong-total" && first !== undefined) {
    first.totalUsePriceMicros += 1;
    state.faults.countFired("receipt-wrong-total");
  }
  return jsonAnswer(JSON.stringify(state.names.reportShape === "array" ? results : { receipts: results }));
}

function invalid(detail: string): never {
  refuse(400, "parameter-invalid", detail);
}

import { type Answer, jsonAnswer, refuse, type SandboxRequest } from "../http/answer.ts";
import { isAbsoluteHttpUrl } from "../http/content-path.ts";
import { readFields, requireKey, requireSite } from "../http/guards.ts";
import type { SandboxState } from "../sandbox-state.ts";

/**
 * Bulk Get Rate: one object per URL, in the order of the request, repeated URLs repeated. A page
 * that does not exist cannot be licensed: it has no rates and does not affect the other pages. A text that is not a URL is an
 * error.
 */
export function postBulkRates(request: SandboxRequest, state: SandboxState): Answer {
  requireKey(request, state);
  const { urls } = readFields(request);
  const { maxUrlsPerBatch } = state.limits;
  if (!Array.isArray(urls) || urls.length === 0 || urls.length > maxUrlsPerBatch) {
    refuse(400, "urls-invalid", `urls must be an array of 1 to ${maxUrlsPerBatch} URLs`);
  }
  const results: string[] = [];
  for (let index = 0; index < urls.length; index += 1) {
    const url: unknown = urls[index];
    const page = typeof url === "string" ? state.siteIndex.find(url) : null;
    if (page === null && (typeof url !== "string" || !isAbsoluteHttpUrl(url))) {
      refuse(400, "urls-invalid", `urls[${index}] must be an absolute http or https URL`);
    }
    if (page !== null) {
      requireSite(page.host, state);
    }
    const rates = page === null ? "[]" : state.rateBook.ratesOf(page.url).bulkJson;
    results.push(`{"url":${JSON.stringify(url)},"rates":${rates}}`);
  }
  return jsonAnswer(`[${alter(results, request, state).join(",")}]`);
}

/** The faults of bulk rates. Each alters one entry, or the order. */
function alter(results: string[], request: SandboxRequest, state: SandboxState): string[] {
  const [first] = results;
  const last = results.at(-1);
  if (first === undefined || last === undefined || request.fault === null) {
    return results;
  }
  if (request.fault.startsWith("bulk-")) {
    state.faults.countFired(request.fault);
  }
  switch (request.fault) {
    case "bulk-shuffle":
      return [...results].reverse();
    case "bulk-missing":
      return results.slice(0, -1);
    case "bulk-duplicate":
      return [...results, first];
    case "bulk-error": {
      const { url, rates } = JSON.parse(last) as { url: string; rates: object[] };
      const failed = rates.map((rate) => ({ ...rate, error: "the rate could not be determined" }));
      return [...results.slice(0, -1), JSON.stringify({ url, rates: failed })];
    }
    default:
      return results;
  }
}

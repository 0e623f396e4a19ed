/** The arguments of `agent.fetch`, checked at run time. */
import { misused, show } from "../../check-options.ts";
import type { Money } from "../../money/money.ts";
import { money } from "../../money/money-input.ts";
import { options, type Take } from "../calls/call.ts";
import { MAX_FETCHED_URLS } from "./fetch-report.ts";

/** FetchOptions with every value filled in. */
export interface FetchCall {
  readonly maxPrice: Money | null;
  readonly maxSpend: Money | null;
  readonly storedOnly: boolean;
  readonly deriveMarkdown: boolean;
  readonly trustClock: boolean;
  readonly signal: AbortSignal;
}

const takeOptions = options("fetch");

export const takeFetchOptions: Take<FetchCall> = (call, given) => {
  const asked = takeOptions(call, given);
  const { maxPrice, maxSpend, storedOnly = false, deriveMarkdown = false, trustClock = false, signal } = asked;
  return {
    maxPrice: maxPrice === undefined ? null : money(maxPrice),
    maxSpend: maxSpend === undefined ? null : money(maxSpend),
    storedOnly,
    deriveMarkdown,
    trustClock,
    signal: signal ?? new AbortController().signal,
  };
};

/** A text that is not a URL is a result, and not an error: the other URLs of the call are answered. */
export const takeFetchedUrls: Take<readonly string[]> = (call, urls) => {
  if (!Array.isArray(urls) || urls.length === 0 || urls.some((url) => typeof url !== "string")) {
    throw misused(call, `the URLs must be a list of texts, not ${show(urls)}`, 'agent.fetch(["https://…"])');
  }
  const given = urls as readonly string[];
  if (given.length > MAX_FETCHED_URLS) {
    const hint = "Fetch them in several calls, or buy a list: licet run --list FILE";
    throw misused(call, `${given.length} URLs are too many: a call takes ${MAX_FETCHED_URLS}`, hint);
  }
  return given;
};

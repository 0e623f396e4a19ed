/** Drives the hints of a ledger: notifications as a webhook brings them. */
import type { NewHint } from "../../src/ledger/hint-ledger.ts";
import { NOON } from "./ledger-shop.ts";

/** A notification of a page of news.example that was updated an hour before noon. */
export function createHint(path: string, terms: Partial<NewHint> = {}): NewHint {
  const at = terms.at === undefined ? NOON - 3_600_000 : terms.at;
  return {
    subscription: "main",
    host: "news.example",
    url: `https://news.example${path}`,
    wireUrl: `https://news.example${path}`,
    kind: "updated",
    timestamp: at === null ? "yesterday" : new Date(at).toISOString(),
    at,
    source: "delivery",
    state: "waiting",
    ...terms,
  };
}

import type { Answer, SandboxRequest } from "./answer.ts";
import { postBulkRates } from "./endpoints/bulk-rates.ts";
import { getCatalog } from "./endpoints/catalog.ts";
import { getContent } from "./endpoints/content.ts";
import { getHistory } from "./endpoints/history.ts";
import { getRates } from "./endpoints/rates.ts";
import { postSelfReport } from "./endpoints/self-report.ts";
import { postContentToken, postIndexingToken } from "./endpoints/tokens.ts";
import type { FaultGroup } from "./faults.ts";
import type { SandboxPaths } from "./gateway-names.ts";
import type { SandboxState } from "./sandbox-state.ts";

/** Answers a request. Everything it changes, it changes before it returns. */
export type Endpoint = (request: SandboxRequest, state: SandboxState) => Answer;

/** One endpoint with its name in the audit. */
export interface Route {
  readonly name: string;
  readonly group: FaultGroup;
  readonly method: "GET" | "POST";
  readonly endpoint: Endpoint;
}

/** A route with the encoded URL or site that the path holds. */
export interface Routed {
  readonly route: Route;
  readonly segment: string;
}

const CATALOG_SUFFIX = "/catalog/list";

const CONTENT: Route = { name: "content", group: "content", method: "GET", endpoint: getContent };
const CATALOG: Route = { name: "catalog", group: "catalog", method: "GET", endpoint: getCatalog };
const RATES: Route = { name: "rates", group: "rate", method: "GET", endpoint: getRates };
const BULK_RATES: Route = { name: "bulkRates", group: "bulk", method: "POST", endpoint: postBulkRates };
const CONTENT_TOKEN: Route = { name: "contentToken", group: "token", method: "POST", endpoint: postContentToken };
const INDEXING_TOKEN: Route = { name: "indexingToken", group: "token", method: "POST", endpoint: postIndexingToken };
const SELF_REPORT: Route = { name: "selfReport", group: "report", method: "POST", endpoint: postSelfReport };
const HISTORY: Route = { name: "history", group: "history", method: "GET", endpoint: getHistory };

/**
 * Finds the route of a raw path, still encoded, without its query.
 *
 * The catalog and the content share a prefix. They are told apart before anything is decoded: a page's own `/catalog/list`
 * arrives with `%2F`, the catalog's with plain slashes.
 */
export function createRouter(paths: SandboxPaths): (path: string) => Routed | undefined {
  const exact = new Map<string, Routed>([
    [paths.bulkRates, { route: BULK_RATES, segment: "" }],
    [paths.contentToken, { route: CONTENT_TOKEN, segment: "" }],
    [paths.indexingToken, { route: INDEXING_TOKEN, segment: "" }],
    [paths.selfReport, { route: SELF_REPORT, segment: "" }],
    [paths.history, { route: HISTORY, segment: "" }],
  ]);
  return (path) => {
    const found = exact.get(path);
    if (found !== undefined) return found;
    if (path.startsWith(paths.content)) {
      if (path.endsWith(CATALOG_SUFFIX)) {
        const segment = path.slice(paths.content.length, -CATALOG_SUFFIX.length);
        if (segment !== "" && !segment.includes("/")) return { route: CATALOG, segment };
      }
      return { route: CONTENT, segment: path.slice(paths.content.length) };
    }
    if (path.startsWith(paths.rates)) return { route: RATES, segment: path.slice(paths.rates.length) };
    return undefined;
  };
}

import { postBulkRates } from "../endpoints/bulk-rates.ts";
import { getCatalog } from "../endpoints/catalog.ts";
import { getContent } from "../endpoints/content.ts";
import { getHistory } from "../endpoints/history.ts";
import { getRates } from "../endpoints/rates.ts";
import { postSelfReport } from "../endpoints/self-report.ts";
import { postContentToken, postIndexingToken } from "../endpoints/tokens.ts";
import type { FaultGroup } from "../faults/fault-names.ts";
import type { PathTemplate, SandboxPaths } from "../profile/gateway-names.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { Answer, SandboxRequest } from "./answer.ts";

/** Answers a request. All its changes happen before it returns. */
export type Endpoint = (request: SandboxRequest, state: SandboxState) => Answer;

/** One endpoint with its name in the audit. */
export interface Route {
  readonly name: string;
  readonly group: FaultGroup;
  readonly method: "GET" | "POST";
  readonly endpoint: Endpoint;
}

/** A route with the encoded URL or site in the path. */
export interface Routed {
  readonly route: Route;
  readonly segment: string;
}

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
 * The catalog and the content share a prefix. They are distinguished before anything is decoded: a page's own `/catalog/list`
 * arrives with `%2F`, the catalog's with plain slashes.
 */
export function createRouter(paths: SandboxPaths): (path: string) => Routed | null {
  const exact = new Map<string, Routed>([
    [paths.rateBatch.before, { route: BULK_RATES, segment: "" }],
    [paths.contentToken.before, { route: CONTENT_TOKEN, segment: "" }],
    [paths.indexingToken.before, { route: INDEXING_TOKEN, segment: "" }],
    [paths.selfReport.before, { route: SELF_REPORT, segment: "" }],
    [paths.history.before, { route: HISTORY, segment: "" }],
  ]);
  return (path) => {
    const found = exact.get(path);
    if (found !== undefined) {
      return found;
    }
    const host = readParameter(paths.catalog, path);
    if (host !== null && host !== "" && !host.includes("/")) {
      return { route: CATALOG, segment: host };
    }
    const content = readParameter(paths.content, path);
    if (content !== null) {
      return { route: CONTENT, segment: content };
    }
    const rated = readParameter(paths.rate, path);
    return rated === null ? null : { route: RATES, segment: rated };
  };
}

function readParameter({ before, after }: PathTemplate, path: string): string | null {
  const end = path.length - (after ?? "").length;
  return path.startsWith(before) && path.endsWith(after ?? "") && end >= before.length
    ? path.slice(before.length, end)
    : null;
}

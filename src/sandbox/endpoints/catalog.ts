import { createHmac } from "node:crypto";
import { type Answer, jsonAnswer, refuse, type SandboxRequest } from "../http/answer.ts";
import { parseSiteRoot } from "../http/content-path.ts";
import { readInteger, requireKey, requireSite } from "../http/guards.ts";
import type { Site } from "../pages/page.ts";
import type { SandboxState } from "../sandbox-state.ts";

/** Entries that a `catalog-repeat` fault shows again. */
const REPEATED_ENTRIES = 3;
/** Prevents that clients invent page tokens. The key protects no secret, so it may be public. */
const PAGE_TOKEN_KEY = "catalog page token";
const MAX_TOKEN_CHARS = 200;

/** List Content Catalog. A page token contains the start of the next page and its site. */
export function getCatalog(request: SandboxRequest, state: SandboxState): Answer {
  requireKey(request, state);
  const host = parseSiteRoot(request.segment);
  if (host === null) {
    refuse(400, "site-root-invalid", "the path must contain the URL-encoded root domain of a site");
  }
  const site = state.siteIndex.site(host);
  if (site === null) {
    refuse(404, "site-unknown", "this gateway does not have this site");
  }
  requireSite(host, state);
  const query = new URLSearchParams(request.query);
  const pageSize = readInteger(query.get("pageSize"), {
    name: "pageSize",
    min: 1,
    max: state.limits.maxPageSize,
    fallback: Math.min(state.limits.defaultPageSize, state.limits.maxPageSize),
  });
  const offset = readPageToken(query.get("pageToken"), site);
  return jsonAnswer(renderCatalogPage({ site, offset, pageSize, given: query.get("pageToken") ?? "" }, request, state));
}

function renderCatalogPage(
  page: { site: Site; offset: number; pageSize: number; given: string },
  request: SandboxRequest,
  state: SandboxState,
): string {
  const { site, pageSize } = page;
  const repeats = request.fault === "catalog-repeat" && page.offset > 0;
  const first = repeats ? Math.max(0, page.offset - REPEATED_ENTRIES) : page.offset;
  const next = first + pageSize;
  const property = JSON.stringify(site.propertyId);
  const writesDates = state.names.timestamps !== "missing";
  const entries = site.entries(first, pageSize).map(({ pageUrl, lastMod }) => {
    const date = lastMod === undefined || !writesDates ? "" : `"lastMod":${JSON.stringify(lastMod)},`;
    return `{${date}"pageUrl":${JSON.stringify(pageUrl)},"propertyId":${property}}`;
  });
  const pages = `"pages":[${entries.join(",")}]`;
  if (repeats) {
    state.faults.countFired("catalog-repeat");
  }
  if (next >= site.entryCount) {
    return `{${pages}}`;
  }
  if (request.fault === "catalog-loop") {
    state.faults.countFired("catalog-loop");
    return `{"pageToken":"${page.given === "" ? createPageToken(site, 0) : page.given}",${pages}}`;
  }
  return `{"pageToken":"${createPageToken(site, next)}",${pages}}`;
}

function createPageToken(site: Site, offset: number): string {
  const place = `${offset.toString(36)}.${site.propertyId}`;
  return Buffer.from(`${place}.${sign(place)}`).toString("base64url");
}

/** An empty token means the first page. */
function readPageToken(token: string | null, site: Site): number {
  if (token === null || token === "") {
    return 0;
  }
  const isShort = token.length <= MAX_TOKEN_CHARS;
  const offset = Number.parseInt(Buffer.from(token, "base64url").toString().split(".", 1)[0] ?? "", 36);
  if (isShort && Number.isSafeInteger(offset) && createPageToken(site, offset) === token) {
    return offset;
  }
  refuse(400, "page-token-invalid", "pageToken is not one that this catalog gave");
}

function sign(place: string): string {
  return createHmac("sha256", PAGE_TOKEN_KEY).update(place).digest("base64url").slice(0, 16);
}

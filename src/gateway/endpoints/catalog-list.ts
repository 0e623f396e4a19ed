/** The endpoint *List Content Catalog* of the gateway specification. */
import type { CatalogEntry, CatalogPage } from "../../catalog/catalog-entry.ts";
import { toPathParameter } from "../../catalog/page-url.ts";
import type { CatalogRequest } from "../gateway.ts";
import { isObject, readText } from "../json-answer.ts";
import type { GatewayProfile } from "../service-names.ts";

export function catalogPath(profile: GatewayProfile, request: CatalogRequest): string {
  const { before, after } = profile.paths.catalog;
  const token = request.pageToken === null ? "" : `&pageToken=${toPathParameter(request.pageToken)}`;
  return `${before}${toPathParameter(request.host)}${after}?pageSize=${request.pageSize}${token}`;
}

/**
 * The page, or null when the answer is not one. An object with neither `pages` nor `pageToken` (an error sent as a success) is
 * not one. Nor is an object whose `pageToken` is neither text nor absent: treating it as the end would silently cut the walk, and
 * its entries would stay hidden until the next full walk.
 */
export function readCatalogPage(json: unknown): CatalogPage | null {
  if (!isObject(json) || (json.pages === undefined && json.pageToken === undefined)) {
    return null;
  }
  const lines = json.pages ?? [];
  const pageToken = json.pageToken ?? "";
  if (!Array.isArray(lines) || typeof pageToken !== "string") {
    return null;
  }
  const entries: CatalogEntry[] = [];
  for (const line of lines) {
    const pageUrl = isObject(line) ? readText(line.pageUrl) : null;
    if (pageUrl !== null) {
      const { lastMod, propertyId } = line as Record<string, unknown>;
      entries.push({ pageUrl, lastMod: readText(lastMod), propertyId: readText(propertyId) });
    }
  }
  return {
    entries,
    unreadable: lines.length - entries.length,
    nextPageToken: pageToken === "" ? null : pageToken,
  };
}

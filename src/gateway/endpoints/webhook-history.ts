/** The endpoint *Get Webhook History* of the gateway specification. */
import { toPathParameter } from "../../catalog/page-url.ts";
import type { DeliveryRecord, HistoryPage, HistoryRequest } from "../gateway.ts";
import { isObject, type JsonObject, readInteger, readText } from "../json-answer.ts";
import type { GatewayProfile } from "../service-names.ts";

/** As the gateway specification says. */
export const MAX_HISTORY_SIZE = 1000;

export function historyPath(profile: GatewayProfile, request: HistoryRequest): string {
  const token = request.nextToken === null ? "" : `&next-token=${toPathParameter(request.nextToken)}`;
  const days = request.daysAgo === null ? "" : `&days-ago=${request.daysAgo}`;
  return `${profile.paths.history.before}?size=${request.size}${days}${token}`;
}

/**
 * The page, or null when the answer is not one. A field that cannot be read is null, because the rest of the record is still
 * useful.
 */
export function readHistoryPage(json: unknown): HistoryPage | null {
  if (!isObject(json)) {
    return null;
  }
  const items = json.Items ?? json.items ?? [];
  const nextToken = json.nextToken ?? "";
  if (!Array.isArray(items) || typeof nextToken !== "string") {
    return null;
  }
  return { items: items.filter(isObject).map(readRecord), nextToken: nextToken === "" ? null : nextToken };
}

function readRecord(item: JsonObject): DeliveryRecord {
  return {
    subscriptionId: readText(item.subscriptionId),
    contentUrl: readText(item.contentUrl),
    deliveryUrl: readText(item.deliveryUrl),
    eventType: readText(item.eventType),
    lastAttempt: readText(item.lastAttempt),
    lastStatus: readInteger(item.lastStatus),
    numAttempts: readInteger(item.numAttempts),
  };
}

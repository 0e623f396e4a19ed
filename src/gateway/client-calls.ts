/** The arguments of a client's methods, checked and completed (check-options.ts). */
import {
  type Checks,
  checkArgument,
  checkOptions,
  isCount,
  isNullOr,
  isNumber,
  isObject,
  isOneOf,
  isSignal,
  isString,
  isText,
  isTexts,
  misused,
  show,
} from "../check-options.ts";
import { LicetError } from "../errors.ts";
import { type MoneyInput, money } from "../money/money-input.ts";
import { isLicenseType, LICENSE_TYPES, type LicenseType } from "../rates/license.ts";
import { buildUsageBody } from "../usage/usage-batch.ts";
import { DEFAULT_CATALOG_PAGE_SIZE, type LicenseIdField } from "./client-defaults.ts";
import { MAX_HISTORY_SIZE } from "./endpoints/webhook-history.ts";
import type { CatalogRequest, ContentRequest, ContentTokenRequest, HistoryRequest, WireFormat } from "./gateway.ts";
import type { Call } from "./repeatable.ts";

/** `GatewayClient.listCatalog`. */
export interface CatalogQuery {
  readonly host: string;
  /** `nextPageToken` of the previous answer. @default null: the first page */
  readonly pageToken?: string | null;
  /** Entries of one answer at most. @default 500 */
  readonly pageSize?: number;
}

/** `GatewayClient.issueContentToken`: what to buy, and for how much at most. A `Rate` of the same page has the first three values. */
export interface ContentTokenQuery {
  readonly url: string;
  /** The price that the token is limited to. */
  readonly maxPrice: MoneyInput;
  readonly licenseType: LicenseType;
  /** Required for a custom license. @default null */
  readonly licenseCuid?: string | null;
  /** @default "markdown" */
  readonly format?: WireFormat;
}

/** `GatewayClient.fetchContent`. */
export interface ContentQuery {
  readonly url: string;
  readonly token: string;
  /** The format of the token. @default "markdown" */
  readonly format?: WireFormat;
  /**
   * When the token expires, epoch ms: a request whose turn comes later is not sent. Null: it is sent whenever its turn comes.
   * @default null
   */
  readonly expiresAt?: number | null;
}

/** `GatewayClient.listHistory`. */
export interface HistoryQuery {
  /** `nextToken` of the previous answer. @default null: the first page */
  readonly nextToken?: string | null;
  /** 1 to 1000. @default 1000 */
  readonly size?: number;
  /** Whole days. @default null: all records */
  readonly daysAgo?: number | null;
}

/** One page in a usage report, under one license. */
export interface UsageReportEntry {
  readonly url: string;
  /** @default 1 */
  readonly timesUsed?: number;
  readonly licenseType: LicenseType;
  /** Required for a custom license. @default null */
  readonly licenseCuid?: string | null;
}

/** `GatewayClient.reportUsage`. The same report always gives the same bytes. */
export interface UsageReportQuery {
  /** Identifies the report. A gateway counts two reports with the same id once. */
  readonly idempotencyId: string;
  readonly usage: readonly UsageReportEntry[];
}

/** The method that makes each call, for messages. */
const METHODS: Readonly<Record<Call, string>> = {
  catalog: "listCatalog",
  rate: "quotePage",
  rate_batch: "quoteBatch",
  content_token: "issueContentToken",
  indexing_token: "issueIndexingToken",
  content: "fetchContent",
  self_report: "reportUsage",
  history: "listHistory",
  date: "askDate",
};
const CATALOG: Checks<CatalogQuery> = { host: isText, pageToken: isNullOr(isString), pageSize: isNumber };
const isFormat = isOneOf(["markdown", "html"] satisfies WireFormat[]);
const CONTENT_TOKEN: Checks<ContentTokenQuery> = {
  url: isText,
  maxPrice: (value) => (typeof value === "string" || isObject(value) ? null : "must be an amount of money"),
  licenseType: isText,
  licenseCuid: isNullOr(isString),
  format: isFormat,
};
const CONTENT: Checks<ContentQuery> = { url: isText, token: isText, format: isFormat, expiresAt: isNullOr(isNumber) };
const HISTORY: Checks<HistoryQuery> = {
  nextToken: isNullOr(isString),
  size: isNumber,
  daysAgo: isNullOr(isNumber),
};
const REPORT: Checks<UsageReportQuery> = {
  idempotencyId: isText,
  usage: (value) => (Array.isArray(value) && value.length > 0 ? null : "must be a list of entries, at least one"),
};
const REPORT_ENTRY: Checks<UsageReportEntry> = {
  url: isText,
  timesUsed: isCount,
  licenseType: isText,
  licenseCuid: isNullOr(isString),
};

export function toCatalogRequest(query: CatalogQuery): CatalogRequest {
  const {
    host,
    pageToken = null,
    pageSize = DEFAULT_CATALOG_PAGE_SIZE,
  } = checkOptions("listCatalog", query, CATALOG, {
    required: ["host"],
  });
  requireWhole("listCatalog", "pageSize", pageSize, 1, Number.MAX_SAFE_INTEGER);
  return { host, pageToken, pageSize };
}

/** @throws LicetError INPUT_INVALID for a license type that no token can name; MONEY_INVALID */
export function toContentTokenRequest(query: ContentTokenQuery): ContentTokenRequest {
  const {
    url,
    maxPrice,
    licenseType,
    licenseCuid = null,
    format = "markdown",
  } = checkOptions("issueContentToken", query, CONTENT_TOKEN, { required: ["url", "maxPrice", "licenseType"] });
  if (!isLicenseType(licenseType)) {
    throw new LicetError(
      "INPUT_INVALID",
      `issueContentToken: ${show(licenseType)} is not a licence that can be ordered`,
      {
        hint: `Leave out rates that isOffer() refuses. Licences that can be ordered: ${LICENSE_TYPES.join(", ")}.`,
        details: { url },
      },
    );
  }
  return { url, maxPrice: money(maxPrice), licenseType, licenseCuid, format };
}

export function toContentRequest(query: ContentQuery): ContentRequest {
  const {
    url,
    token,
    format = "markdown",
    expiresAt = null,
  } = checkOptions("fetchContent", query, CONTENT, {
    required: ["url", "token"],
  });
  return { url, token, format, expiresAt };
}

export function toHistoryRequest(query: HistoryQuery): HistoryRequest {
  const { nextToken = null, size = MAX_HISTORY_SIZE, daysAgo = null } = checkOptions("listHistory", query, HISTORY);
  requireWhole("listHistory", "size", size, 1, MAX_HISTORY_SIZE);
  if (daysAgo !== null) {
    requireWhole("listHistory", "daysAgo", daysAgo, 0, Number.MAX_SAFE_INTEGER);
  }
  return { nextToken, size, daysAgo };
}

/** @throws LicetError INPUT_INVALID */
function requireWhole(call: string, name: string, value: number, min: number, max: number): void {
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw new LicetError(
      "INPUT_INVALID",
      `${call}: ${name} must be a whole number from ${min} to ${max}, not ${value}`,
      {
        hint: `See the documentation of ${call}.`,
      },
    );
  }
}

/** The bytes of a report: frozen bytes as they are, or the bytes of an object. */
export function toReportBody(report: Uint8Array | UsageReportQuery, licenseIdField: LicenseIdField): Uint8Array {
  if (report instanceof Uint8Array) {
    return report;
  }
  const { idempotencyId, usage } = checkOptions("reportUsage", report, REPORT, {
    required: ["idempotencyId", "usage"],
  });
  const entries = usage.map((entry) => {
    const {
      licenseCuid = null,
      timesUsed = 1,
      ...rest
    } = checkOptions("reportUsage", entry, REPORT_ENTRY, {
      required: ["url", "licenseType"],
    });
    if (rest.licenseType === "CUSTOM_LICENSE" && licenseCuid === null) {
      throw misused("reportUsage", "a custom license is reported with its id", "Give its licenseCuid.");
    }
    return { ...rest, licenseCuid, timesUsed };
  });
  return buildUsageBody({ idempotencyId, entries, licenseIdField });
}

export function checkUrls(urls: readonly string[]): readonly string[] {
  return checkArgument("quoteBatch", "urls", urls, isTexts);
}

export function checkUrl(call: "quotePage" | "issueIndexingToken", url: string): string {
  return checkArgument(call, "url", url, isText);
}

export function checkSignal(call: Call, signal: AbortSignal | undefined): void {
  if (signal !== undefined) {
    checkArgument(METHODS[call], "signal", signal, isSignal);
  }
}

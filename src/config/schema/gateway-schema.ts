/** The `gateway` section: the gateway's address, the account, and the limits. */
import { z } from "zod";
import {
  DEFAULT_CATALOG_PAGE_SIZE,
  DEFAULT_CONCURRENCY,
  DEFAULT_LICENSE_ID_FIELD,
  DEFAULT_REQUESTS_PER_SECOND,
  DEFAULT_SERVICE,
  DEFAULT_TIMEOUT_MS,
  LICENSE_ID_FIELDS,
  MAX_CONCURRENCY,
  SERVICE_NAME,
  userAgentOf,
} from "../../gateway/client-defaults.ts";
import { PARTS_PER_MILLION } from "../../money/multiply-ppm.ts";
import { MAX_PRICE_MICROS } from "../../rates/rate.ts";
import { durationMs, headerText, httpUrlText, moneyText, orNull, patternText } from "./text-formats.ts";

const MAX_REQUESTS_PER_SECOND = 1_000_000;
const MAX_TIMEOUT_MS = 3_600_000;
const MAX_CATALOG_PAGE_SIZE = 100_000;
const MAX_QUOTE_BATCH_SIZE = 10_000;

const HEADER_PATTERN = /^[\w!#$%&'*+.^`|~{}-]+(?:: *[A-Za-z][A-Za-z0-9-]*)?$/;

const headerName = () => patternText(HEADER_PATTERN, "is not a header name").optional();

/** @param parameter what the path must contain, or null when it has no parameter */
const pathTemplate = (parameter: "{url}" | "{host}" | null) => {
  const complaint =
    parameter === null ? "is not a path: start it with /" : `must start with / and contain ${parameter} once`;
  const pattern =
    parameter === null
      ? /^\/[^?#\s]*$/
      : new RegExp(`^/(?!.*${parameter}.*${parameter})[^?#\\s]*${parameter}[^?#\\s]*$`);
  return patternText(pattern, complaint).optional();
};

const headersSchema = z
  .strictObject({
    token: headerName().describe("Carries the one-time token; `Authorization: Bearer` puts the scheme before it."),
    key: headerName().describe("Carries the API key."),
    acceptContent: headerName().describe("Names the wanted content format."),
    reportAgent: headerName().describe("Carries the agent on usage reports, in addition to User-Agent."),
  })
  .transform(dropUndefined)
  .prefault({})
  .describe("Header names that differ from the specification; `{Name}` stands for the service.");

const pathsSchema = z
  .strictObject({
    content: pathTemplate("{url}").describe("Content retrieval."),
    catalog: pathTemplate("{host}").describe("A site's catalog."),
    rate: pathTemplate("{url}").describe("Rates of one page."),
    rateBatch: pathTemplate(null).describe("Rates of many pages."),
    contentToken: pathTemplate(null).describe("Content tokens."),
    indexingToken: pathTemplate(null).describe("Indexing tokens."),
    selfReport: pathTemplate(null).describe("Usage reports; `{name}` stands for the service in lower case."),
    history: pathTemplate(null).describe("Webhook delivery records."),
  })
  .transform(dropUndefined)
  .prefault({})
  .describe("Paths that differ from the specification, below `baseUrl`.");

const feeSchema = orNull(
  z
    .strictObject({
      percent: z
        .number()
        .min(0)
        .max(100)
        .refine((percent) => /^\d+(\.\d{1,4})?$/.test(String(percent)), "can have four decimals at most")
        .default(0)
        .describe("Share of the rate, in percent, with up to four decimals."),
      fixed: orNull(moneyText(MAX_PRICE_MICROS)).describe("Amount per purchase, on rates in its currency."),
    })
    .transform(({ percent, fixed }) => ({ ratePpm: toPpm(percent), fixed })),
).describe("A transaction fee that the gateway adds to the rate. It is reserved with the rate and counted separately.");

/** A percent is 10,000 parts per million: the digits are moved as text, never through a float. */
function toPpm(percent: number): number {
  const [units = "0", decimals = ""] = String(percent).split(".");
  return Number(units + decimals.padEnd(String(PARTS_PER_MILLION / 100).length - 1, "0"));
}

/** Absent and undefined differ for whoever spreads these over defaults. */
function dropUndefined<Key extends string>(
  section: Readonly<Partial<Record<Key, string | undefined>>>,
): Readonly<Partial<Record<Key, string>>> {
  const entries = Object.entries(section).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Record<Key, string>>;
}

export const gatewaySchema = z
  .strictObject({
    baseUrl: httpUrlText().describe("Address of the gateway, http or https."),
    service: patternText(SERVICE_NAME, "must be a word of letters, digits and hyphens", [DEFAULT_SERVICE])
      .default(DEFAULT_SERVICE)
      .describe("The gateway's own name, as in its header names."),
    apiKey: headerText().describe("API key; comes from the environment, such as LICET_API_KEY."),
    agentId: headerText().describe("Registered AgentID."),
    userAgent: headerText()
      .optional()
      .describe("User agent of every request; must contain `agentId`. Default: `<agentId>/1.0`."),
    concurrency: z
      .int()
      .min(1)
      .max(MAX_CONCURRENCY)
      .default(DEFAULT_CONCURRENCY)
      .describe("The most requests in flight."),
    requestsPerSecond: z
      .number()
      .positive()
      .max(MAX_REQUESTS_PER_SECOND)
      .nullable()
      .default(DEFAULT_REQUESTS_PER_SECOND)
      .describe("The most requests started per second; null: no limit."),
    timeoutMs: durationMs(1, MAX_TIMEOUT_MS)
      .prefault(DEFAULT_TIMEOUT_MS)
      .describe("How long to wait for the next part of an answer: milliseconds, or a duration such as `30s`."),
    catalogPageSize: z
      .int()
      .min(1)
      .max(MAX_CATALOG_PAGE_SIZE)
      .default(DEFAULT_CATALOG_PAGE_SIZE)
      .describe("Entries per catalog page."),
    quoteBatchSize: z.int().min(1).max(MAX_QUOTE_BATCH_SIZE).default(200).describe("Pages per bulk rate request."),
    licenseIdField: z
      .enum(LICENSE_ID_FIELDS)
      .default(DEFAULT_LICENSE_ID_FIELD)
      .describe("The field name of the licence's id in usage reports."),
    reportPermissions: z
      .boolean()
      .default(false)
      .describe(
        "Whether usage reports name the permissions of each licence (`licensePermissions`); some gateways require it.",
      ),
    headers: headersSchema,
    paths: pathsSchema,
    fee: feeSchema,
  })
  .transform((gateway) => ({
    ...gateway,
    baseUrl: gateway.baseUrl.replace(/\/+$/, ""),
    userAgent: gateway.userAgent ?? userAgentOf(gateway.agentId),
  }))
  .describe("The content-licensing gateway.");

/**
 * The rates file, YAML:
 *
 * ```yaml
 * currency: USD                  # of prices without one; default USD
 * licenses:                      # names for use below
 *   standard: { type: ON_DEMAND_LICENSE }
 *   archive:  { type: CUSTOM_LICENSE, cuid: archive-2026, permissions: [FULL_USE], path: "https://news.example/license" }
 *   yearly:   { type: ON_DEMAND_LICENSE, validUntil: "2026-12-31T00:00:00Z" }   # the rights end then
 * rules:                         # the first rule that matches a page gives its rates
 *   - site: news.example         # host; left out: every site
 *     paths: ["/free/**"]        # globs on the URL's path; left out: every path
 *     rates: [{ license: standard, price: 0 }]
 *   - { paths: ["/private/**"], rates: [] }                       # not licensable
 *   - { site: news.example, rates: [{ license: standard, price: "0.002 USD" }, { license: archive, priceMicros: 15000 }] }
 * default:                       # pages that no rule matches; left out: the built-in spread
 *   - { license: standard, price: 0.004 }
 * ```
 *
 * A price is `priceMicros` (whole micros), or `price` in currency units with at most six decimals, read exactly.
 */

import { readFile } from "node:fs/promises";
import picomatch from "picomatch";
import { parse } from "yaml";
import { z } from "zod";
import { messageOf } from "../message-of.ts";
import { createRate, createRateSet, LICENSE_TYPES, type Rate, type RateSet } from "./rate.ts";

const licenseSchema = z.strictObject({
  type: z.enum(LICENSE_TYPES),
  cuid: z.string().min(1).optional(),
  permissions: z.array(z.string().min(1)).optional(),
  path: z.string().min(1).optional(),
  validUntil: z.union([z.iso.datetime({ offset: true }), z.iso.date()]).optional(),
});

const rateSchema = z
  .strictObject({
    license: z.string().min(1),
    price: z.union([z.string(), z.number()]).optional(),
    priceMicros: z.int().nonnegative().optional(),
    currency: z.string().optional(),
  })
  .refine((rate) => (rate.price === undefined) !== (rate.priceMicros === undefined), {
    error: "a rate needs either price or priceMicros, and not both",
  });

const ratesFileSchema = z.strictObject({
  currency: z.string().default("USD"),
  licenses: z.record(z.string(), licenseSchema).default({}),
  rules: z
    .array(
      z.strictObject({
        site: z.string().min(1).optional(),
        paths: z.array(z.string().startsWith("/")).min(1).optional(),
        rates: z.array(rateSchema),
      }),
    )
    .default([]),
  default: z.array(rateSchema).optional(),
});

/** The content of a rates file, as plain data. */
export type RatesFile = z.input<typeof ratesFileSchema>;

/** Gives the rates that a rates file has for a page; `undefined` if the page has the rates of the spread. */
export type RateRules = (url: string) => RateSet | undefined;

/** @throws Error naming the file and each mistake in it. */
export async function loadRatesFile(path: string): Promise<RateRules> {
  let data: unknown;
  try {
    data = parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw new Error(`rates file ${path}: ${messageOf(cause)}`, { cause });
  }
  return parseRates(data ?? {}, `rates file ${path}`);
}

/** @throws Error naming each mistake. */
export function parseRates(data: unknown, name = "rates"): RateRules {
  const checked = ratesFileSchema.safeParse(data);
  if (!checked.success) {
    throw new Error(`${name}:\n${z.prettifyError(checked.error)}`);
  }
  const file = checked.data;
  const toSet = (rates: readonly z.infer<typeof rateSchema>[], where: string) =>
    createRateSet(rates.map((rate, index) => toRate(rate, file, `${name}: ${where}[${index}]`)));
  const rules = file.rules.map((rule, index) => ({
    site: rule.site?.toLowerCase(),
    matches: rule.paths === undefined ? undefined : picomatch(rule.paths, { dot: true }),
    set: toSet(rule.rates, `rules[${index}].rates`),
  }));
  const fallback = file.default === undefined ? undefined : toSet(file.default, "default");
  return (url) => {
    if (rules.length === 0) {
      return fallback;
    }
    const { host, pathname } = new URL(url);
    const rule = rules.find(
      (candidate) =>
        (candidate.site === undefined || candidate.site === host) && (candidate.matches?.(pathname) ?? true),
    );
    return rule?.set ?? fallback;
  };
}

function toRate(rate: z.infer<typeof rateSchema>, file: z.infer<typeof ratesFileSchema>, where: string): Rate {
  const license = file.licenses[rate.license];
  const type = license?.type ?? LICENSE_TYPES.find((known) => known === rate.license);
  if (type === undefined) {
    const known = [...Object.keys(file.licenses), ...LICENSE_TYPES].join(", ");
    throw new Error(`${where}: licence "${rate.license}" is not known; the known ones are ${known}`);
  }
  try {
    const price = rate.price === undefined ? { micros: rate.priceMicros ?? 0 } : parsePrice(rate.price);
    return createRate({
      priceMicros: price.micros,
      currency: rate.currency ?? price.currency ?? file.currency,
      licenseType: type,
      ...(license?.cuid === undefined ? {} : { cuid: license.cuid }),
      ...(license?.permissions === undefined ? {} : { permissions: license.permissions }),
      ...(license?.path === undefined ? {} : { licensePath: license.path }),
      ...(license?.validUntil === undefined ? {} : { validUntil: license.validUntil }),
    });
  } catch (cause) {
    throw new Error(`${where}: ${messageOf(cause)}`, { cause });
  }
}

/** Reads `0.002`, `"0.002"` or `"0.002 USD"`, exactly. */
function parsePrice(price: string | number): { micros: number; currency?: string } {
  const match = /^(\d{1,9})(?:\.(\d{1,6}))?(?: ([A-Z]{3}))?$/.exec(String(price).trim());
  if (match === null) {
    throw new Error(`price "${price}" is not an amount such as 0.002 or "0.002 USD" (six decimals)`);
  }
  const [, units = "0", decimals = "", currency] = match;
  const micros = Number(`${units}${decimals.padEnd(6, "0")}`);
  return currency === undefined ? { micros } : { micros, currency };
}

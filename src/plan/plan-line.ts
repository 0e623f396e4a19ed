/**
 * One page of a saved plan, on a line of its own: a line of a list with its terms, and how the page was quoted. A person may take lines out,
 * lower `maxPrice`, and change `value` and `key`. All else is covered by `check`, so that no page comes in and no price goes up by a slip.
 * The check is not a signature: whoever may write the file can compute it.
 */
import { z } from "zod";
import { assertLicetError } from "../errors.ts";
import { formatMoney } from "../money/format-money.ts";
import type { Money } from "../money/money.ts";
import { parseMoney } from "../money/parse-money.ts";
import type { License } from "../rates/license.ts";
import { digestOf } from "./canonical-json.ts";

/** The price of a page when it was planned. */
export interface PlannedPrice {
  readonly price: Money;
  /** What the purchase would set aside: the price, the fee on it, and the report of the fetch where that is billed too. */
  readonly setAside: Money;
  readonly license: Pick<License, "licenseType" | "cuid">;
}

export interface PlanLine {
  readonly url: string;
  /** Null: the page is only indexed, which costs nothing. */
  readonly planned: PlannedPrice | null;
  /** The most that the purchase may set aside: as it was planned, or what a person has lowered it to. Null for indexing. */
  readonly maxPrice: Money | null;
  /** The policy and the rule that allowed it, from 0. */
  readonly policy: string;
  readonly ruleIndex: number;
  /** Of the list that was planned. */
  readonly value: number | null;
  readonly key: string | null;
}

/** Characters of the digest that a line shows: enough against a slip, short enough to read around. */
const CHECK_CHARS = 16;

const lineSchema = z.strictObject({
  url: z.string().min(1),
  maxPrice: z.string().optional(),
  license: z.strictObject({ licenseType: z.string().min(1), cuid: z.string().nullable() }).optional(),
  price: z.string().optional(),
  setAside: z.string().optional(),
  policy: z.string().min(1),
  rule: z.int().min(1),
  value: z.number().min(0).optional(),
  key: z.string().optional(),
  check: z.string(),
});
type LineDocument = z.infer<typeof lineSchema>;

/** Whether a person has lowered the price. */
export function isLowered({ planned, maxPrice }: PlanLine): boolean {
  return planned !== null && maxPrice !== null && maxPrice.micros < planned.setAside.micros;
}

/** One line of JSON, without its line end. */
export function formatPlanLine({ url, planned, maxPrice, policy, ruleIndex, value, key }: PlanLine): string {
  const sealed = {
    ...(planned === null ? {} : writePrice(planned)),
    policy,
    rule: ruleIndex + 1,
  };
  return JSON.stringify({
    url,
    ...(maxPrice === null ? {} : { maxPrice: formatMoney(maxPrice) }),
    ...sealed,
    ...(value === null ? {} : { value }),
    ...(key === null ? {} : { key }),
    check: checkOf({ url, ...sealed }),
  });
}

function writePrice({ price, setAside, license }: PlannedPrice) {
  const { licenseType, cuid } = license;
  return {
    license: { licenseType, cuid },
    price: formatMoney(price),
    ...(setAside.micros === price.micros ? {} : { setAside: formatMoney(setAside) }),
  };
}

function checkOf(sealed: object): string {
  return digestOf(sealed).slice(0, CHECK_CHARS);
}

/** @returns the page, or what is wrong with the line, as a sentence without its end */
export function parsePlanLine(text: string): PlanLine | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "it is not JSON: the file is cut off or damaged";
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) {
    return parsed.error.issues.map(({ path, message }) => [...path, message].join(": ")).join("; ");
  }
  const { maxPrice, value: worth, key, check, ...sealed } = parsed.data;
  if (check !== checkOf(sealed)) {
    return `it was added or changed by hand (${sealed.url}): only its maxPrice, value and key may be changed`;
  }
  try {
    return toPlanLine(parsed.data, worth ?? null, key ?? null);
  } catch (error) {
    assertLicetError(error, "MONEY_INVALID");
    return error.message;
  }
}

function toPlanLine(document: LineDocument, value: number | null, key: string | null): PlanLine | string {
  const { url, policy, rule } = document;
  const planned = readPrice(document);
  const maxPrice = document.maxPrice === undefined ? null : parseMoney(document.maxPrice);
  const line = { url, planned, maxPrice, policy, ruleIndex: rule - 1, value, key };
  if (planned === null) {
    return maxPrice === null ? line : `${url} is only indexed and has no price, so it can have no maxPrice`;
  }
  const limit = planned.setAside;
  if (maxPrice === null) {
    return `${url} has no maxPrice: to leave a page out, remove its line`;
  }
  if (maxPrice.currency !== limit.currency || maxPrice.micros > limit.micros) {
    return `${url} may cost ${formatMoney(limit)} by the plan, and maxPrice says ${formatMoney(maxPrice)}: it may only be lowered`;
  }
  return line;
}

function readPrice({ price, setAside, license }: LineDocument): PlannedPrice | null {
  if (price === undefined || license === undefined) {
    return null;
  }
  return { price: parseMoney(price), setAside: parseMoney(setAside ?? price), license };
}

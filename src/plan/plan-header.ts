/** The first line of a saved plan: when it was made and until when it counts, under which configuration, and what all its lines come to. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { assertLicetError } from "../errors.ts";
import type { PlanBasis } from "../list/applied-plan.ts";
import { formatMoney } from "../money/format-money.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import { parseMoney } from "../money/parse-money.ts";
import { digestOf } from "./canonical-json.ts";
import type { PlanLine } from "./plan-line.ts";
import type { PlanTerms } from "./plan-terms.ts";

/** The version of the file's form. A newer one is not read. */
export const PLAN_FORMAT = 1;

/** What the lines of a plan come to. */
export interface PlanTotals {
  readonly pages: number;
  /** What they may set aside, by currency. */
  readonly setAsideMicros: Readonly<Record<Currency, Micros>>;
  /** SHA-256 of the lines, in lower-case hex. */
  readonly digest: string;
}

export interface PlanHeader extends PlanTotals {
  /** Epoch ms, by the clock of the machine that made the plan. */
  readonly createdAt: number;
  /** Epoch ms */
  readonly expiresAt: number;
  readonly terms: PlanTerms;
  /** Null: nothing had been bought. */
  readonly basis: PlanBasis | null;
}

/** The first line of a file. */
export interface ReadPlanHeader extends PlanHeader {
  /** SHA-256 over all of it, in lower-case hex: the same for every copy of the plan, also an edited one, and for no other plan. */
  readonly planDigest: string;
}

const instantText = z.iso.datetime();
const texts = z.array(z.string());

const termsSchema = z.looseObject({
  gateway: z.looseObject({ baseUrl: z.string(), service: z.string(), agentId: z.string() }),
  order: z.string(),
  policies: z.record(z.string(), z.looseObject({ rules: z.array(z.looseObject({})) })),
  sites: z.record(z.string(), z.looseObject({ policy: z.string(), include: texts, exclude: texts })),
});

const headerSchema = z.strictObject({
  licetPlan: z.literal(PLAN_FORMAT, `this licet reads plans of version ${PLAN_FORMAT} only`),
  createdAt: instantText,
  expiresAt: instantText,
  pages: z.int().min(0),
  cost: z.record(z.string(), z.string()),
  configuration: termsSchema,
  // A plan of an earlier version does not say it.
  basis: z.strictObject({ purchase: z.int().min(1), run: z.string() }).nullish(),
  linesDigest: z.string(),
  check: z.string(),
});

/** One line of JSON, without its line end. */
export function formatPlanHeader({
  createdAt,
  expiresAt,
  pages,
  setAsideMicros,
  digest,
  terms,
  basis,
}: PlanHeader): string {
  const sealed = {
    licetPlan: PLAN_FORMAT,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    pages,
    cost: Object.fromEntries(
      Object.entries(setAsideMicros).map(([currency, micros]) => [currency, formatMoney({ micros, currency })]),
    ),
    configuration: terms,
    basis,
    linesDigest: digest,
  };
  return JSON.stringify({ ...sealed, check: digestOf(sealed) });
}

/** Whether a line is the first one of a plan, of whatever version. */
export function isPlanHeader(text: string): boolean {
  return /^\s*\{\s*"licetPlan"\s*:/.test(text);
}

/** @returns the header, or what is wrong with it, as a sentence without its end */
export function parsePlanHeader(text: string): ReadPlanHeader | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "its first line is not JSON";
  }
  const parsed = headerSchema.safeParse(value);
  if (!parsed.success) {
    return parsed.error.issues.map(({ path, message }) => [...path, message].join(": ")).join("; ");
  }
  const { check, ...sealed } = parsed.data;
  if (check !== digestOf(sealed)) {
    return "its first line was changed by hand: make a new plan instead";
  }
  const { createdAt, expiresAt, pages, cost, configuration, basis = null, linesDigest } = sealed;
  try {
    return {
      createdAt: Date.parse(createdAt),
      expiresAt: Date.parse(expiresAt),
      pages,
      setAsideMicros: Object.fromEntries(
        Object.entries(cost).map(([currency, text]) => [currency, parseMoney(text).micros]),
      ),
      digest: linesDigest,
      terms: configuration as unknown as PlanTerms,
      basis,
      planDigest: check,
    };
  } catch (error) {
    assertLicetError(error, "MONEY_INVALID");
    return error.message;
  }
}

/** What the lines of a plan come to so far. */
export interface PlanTally {
  /** @param text the line as it stands in the file, without its line end */
  add(text: string, line: PlanLine): void;
  totals(): PlanTotals;
  /** The first thing in which the lines go beyond their header, as a sentence without its end. Null: they are at most what was planned. */
  findExcess(header: PlanTotals): string | null;
}

/** Adds up the lines, one at a time: the file may be longer than the memory. */
export function createPlanTally(): PlanTally {
  const digest = createHash("sha256");
  const cost = new Map<Currency, Micros>();
  let pages = 0;
  return {
    add(text, { maxPrice }) {
      pages++;
      digest.update(`${text}\n`);
      if (maxPrice !== null) {
        cost.set(maxPrice.currency, addMicros(cost.get(maxPrice.currency) ?? ZERO_MICROS, maxPrice.micros));
      }
    },
    totals: () => ({ pages, setAsideMicros: Object.fromEntries(cost), digest: digest.copy().digest("hex") }),
    findExcess(header) {
      if (pages > header.pages) {
        return `it has more than the ${header.pages} pages that its first line names`;
      }
      for (const [currency, micros] of cost) {
        const plannedMicros = header.setAsideMicros[currency] ?? ZERO_MICROS;
        if (micros > plannedMicros) {
          const planned = formatMoney({ micros: plannedMicros, currency });
          return `its lines come to ${formatMoney({ micros, currency })}, and its first line names ${planned}`;
        }
      }
      return null;
    },
  };
}

/**
 * The values that callers give, each kind declared once. What is wrong with the value of a program or of a flag says `check`, as the end of a sentence that
 * begins with its name. A request, a model and the documents of both have `schema`, which also bounds what a stranger may send.
 */
import { z } from "zod";
import { parseLastMod } from "../../catalog/last-mod.ts";
import { type Check, isCount, isFlag, isFunction, isOneOf, isSignal, isText, isTexts } from "../../check-options.ts";
import { assertLicetError, isLicetError } from "../../errors.ts";
import { SEARCH_CURSOR } from "../../ledger/found-documents.ts";
import { type MoneyInput, money } from "../../money/money-input.ts";
import { parseDuration } from "../../time/duration.ts";
import { REAL_YEARS } from "../../time/iso-instant.ts";
import { isInstant } from "../../usage/use.ts";

/** `schema` null: only a program or a flag gives it. Every other option of a call is one of the request that makes the call. */
export interface Field<Schema extends z.ZodType | null = z.ZodType | null> {
  readonly check: Check;
  readonly schema: Schema;
}

/** The kind of each option of a call. An option without one is a type error. */
export type Input<Options> = { readonly [Name in keyof Required<Options>]: Field };

const MAX_HOST_CHARS = 255;
const MAX_HOSTS = 1_000;
const MAX_URL_CHARS = 8_192;
const MAX_NAME_CHARS = 4_096;
const MAX_AMOUNT_CHARS = 64;

const field = <Schema extends z.ZodType | null>(check: Check, schema: Schema): Field<Schema> => ({ check, schema });
/** What cannot be written as JSON. */
export const ofProgram = (check: Check) => field(check, null);
/** What no request may say, whoever sends it: where the clock is, what the machine has. */
export const local = ({ check }: Field) => ofProgram(check);

export const flag = field(isFlag, z.boolean());
export const text = field(isText, z.string().min(1));
export const host = field(isText, z.string().min(1).max(MAX_HOST_CHARS));
export const texts = field(isTexts, z.array(text.schema));
export const hosts = field(isTexts, z.array(host.schema).min(1).max(MAX_HOSTS));
/** Of a cursor and its target: enough for a long path, little for a row. */
export const cursorName = field(
  (value) =>
    isText(value) === null && (value as string).length <= MAX_NAME_CHARS
      ? null
      : `must be a text of 1 to ${MAX_NAME_CHARS} characters`,
  z.string().min(1).max(MAX_NAME_CHARS),
);
/** `nextCursor` of the page before, in the form that its call gives it. */
const cursorLike = (form: RegExp) =>
  field(
    (value) => (typeof value === "string" && form.test(value) ? null : "must be the nextCursor of the page before"),
    z.string().regex(form, "`nextCursor` of a page before"),
  );
/** The number of the last act. */
export const logCursor = cursorLike(/^\d{1,15}$/);
/** The rows of the last run and page. */
export const denialCursor = cursorLike(/^\d{1,15}\.\d{1,15}$/);
/** How far a search came. */
export const searchCursor = cursorLike(SEARCH_CURSOR);
export const pageUrl = field(isText, z.string().min(1).max(MAX_URL_CHARS));
export const runId = field(isText, z.string().regex(/^run_\w{1,64}$/, "a run's id, such as run_0mi5c2k1x8f3a2b4c5d6"));
/** A file of `serve.plans`: no part of a path, and not hidden. */
const PLAN_NAME = /^\w[\w.@+=-]{0,199}\.jsonl$/;
const PLAN_NAME_FORM = "the name of a plan: letters, digits and . _ @ + = -, with .jsonl at its end";
export const planName = field(
  (value) => (typeof value === "string" && PLAN_NAME.test(value) ? null : `must be ${PLAN_NAME_FORM}`),
  z.string().regex(PLAN_NAME, PLAN_NAME_FORM),
);
const MAX_PERSON_CHARS = 200;
const MAX_REASON_CHARS = 2_000;
const MAX_SEARCH_CHARS = 500;
const textUpTo = (most: number) =>
  field(
    (value) =>
      typeof value === "string" && value.trim() !== "" && value.length <= most
        ? null
        : `must be a text of 1 to ${most} characters`,
    z.string().min(1).max(most).regex(/\S/, "a text"),
  );
/** A part of a title, or the name of a license. */
export const searchText = textUpTo(MAX_SEARCH_CHARS);
const HASH = /^(?:sha256:)?[0-9a-f]{64}$/i;
export const documentHash = field(
  (value) => (typeof value === "string" && HASH.test(value) ? null : "must be a hash of 64 hexadecimal digits"),
  z.string().regex(HASH, "a hash of 64 hexadecimal digits, with or without `sha256:`"),
);
/** Who decides. Over HTTP it is the name of the token, so that nobody acts under the name of another. */
export const person = local(textUpTo(MAX_PERSON_CHARS));
export const reason = textUpTo(MAX_REASON_CHARS);
/** One request, whoever sends it again. */
export const requestKey = local(textUpTo(MAX_PERSON_CHARS));
export const month = field(isText, z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, "a month, such as 2026-11"));
export const day = field(
  isText,
  z.string().regex(/^(?:today|yesterday|\d{4}-\d\d-\d\d)$/, "a UTC day, such as 2026-11-20, today or yesterday"),
);
export const signal = ofProgram(isSignal);
export const callback = ofProgram(isFunction);

export const count = field(isCount, z.int().min(1));
export const countUpTo = (most: number) =>
  field(
    (value) =>
      isCount(value) === null && (value as number) <= most ? null : `must be a whole number from 1 to ${most}`,
    count.schema.max(most),
  );

export const oneOf = <Word extends string>(words: readonly Word[]) => field(isOneOf(words), z.enum(words));

const durationSchema = z.string().regex(/^\d{1,6}(?:ms|s|m|h|d)$/, "a duration, such as 30d");
export const duration = (example: string) =>
  field((value) => (readDuration(value) === null ? `must be a duration, such as "${example}"` : null), durationSchema);
/** From 1 ms. */
export const durationUpTo = (longest: string, example: string) =>
  field((value) => {
    const ms = readDuration(value) ?? 0;
    return ms >= 1 && ms <= parseDuration(longest) ? null : `must be a duration up to ${longest}, such as "${example}"`;
  }, durationSchema);

function readDuration(value: unknown): number | null {
  try {
    return typeof value === "string" ? parseDuration(value) : null;
  } catch (error) {
    assertLicetError(error, "DURATION_INVALID");
    return null;
  }
}

const RUN_ID = /^run_\w+$/;
/** An instant, or the run since whose begin. In a request, milliseconds are digits. */
export const since = field(
  (value) =>
    toInstant(value) === null && !isRunId(value)
      ? `must be a Date, epoch milliseconds, an ISO 8601 date of the years ${REAL_YEARS}, or the id of a run`
      : null,
  z
    .string()
    .min(1)
    .describe(
      "Only documents stored then or later: ISO 8601, milliseconds since 1970, or the id of a run, for since that run began.",
    )
    .transform((text) => (/^\d{5,15}$/.test(text) ? Number(text) : text)),
);

export function isRunId(value: unknown): value is string {
  return typeof value === "string" && RUN_ID.test(value);
}

/** Null: it is not an instant. */
export function toInstant(value: unknown): number | null {
  const at = value instanceof Date ? value.getTime() : typeof value === "string" ? parseLastMod(value) : value;
  return typeof at === "number" && isInstant(at) ? at : null;
}

export const amountText = z.string().min(1).max(MAX_AMOUNT_CHARS);
/** In any of its spellings. A text that is not one throws MONEY_INVALID. */
export const amount = field(
  (value) => {
    const failure = findFailure(value);
    return failure === null
      ? null
      : `must be an amount of money (like "12.50 USD", or {micros, currency} with a whole number): ${failure}`;
  },
  z.union([amountText, z.strictObject({ micros: z.int().min(0), currency: amountText })]).transform(money),
);

function findFailure(value: unknown): string | null {
  try {
    money(value as MoneyInput);
    return null;
  } catch (error) {
    return isLicetError(error, "MONEY_INVALID") ? error.details.reason : String(error);
  }
}

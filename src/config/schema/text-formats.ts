/**
 * Texts of the configuration that mean something: amounts, durations, hosts, globs … Each check says what is wrong without
 * repeating the text, since it may hold a value of the environment; `quotes` allows the report to put the text before it
 * where it does not. The patterns are for editors, by way of the JSON Schema, and so let `${ENV}` pass.
 */
import { CronExpressionParser } from "cron-parser";
import { z } from "zod";
import { findGlobProblem } from "../../catalog/glob.ts";
import { parseLastMod } from "../../catalog/last-mod.ts";
import { assertBug, isLicetError } from "../../errors.ts";
import { parseMoney } from "../../money/parse-money.ts";
import { suggestMoney } from "../../money/suggest-money.ts";
import { parseDuration } from "../../time/duration.ts";

interface Complaint {
  /** The end of a sentence, without the text. */
  readonly message: string;
  /** Details, which may contain parts of the text. */
  readonly detail: string;
}

interface TextFormat {
  /** The problem of a text; null when there is none. */
  readonly check: (text: string) => string | Complaint | null;
  /** Whether the message may repeat the text. */
  readonly quotes: boolean;
  /** What to write in place of a number. */
  readonly ofNumber?: (value: number) => string;
  /** Its type for readers. */
  readonly title?: string;
  readonly pattern?: string;
  readonly examples?: readonly string[];
}

/** What an issue carries for its report, which knows whether the text may be repeated. */
export interface TextIssueParams {
  readonly quotable: boolean;
  /** Said only where the text may be repeated. */
  readonly detail: string;
}

const MAX_TEXT_CHARS = 4096;
/** Cron expressions are tried from a fixed day, because their validity must not depend on today. */
const CRON_TRIAL_DAY = "2026-01-01T00:00:00Z";
const HOST_PATTERN =
  /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;
const CRON_FIELDS_PATTERN = /^(?:@\w+|\S+(?: +\S+){4,5})$/;

/** For editors: whatever URL parsers read as an http or https address. JSON Schema knows no flags. */
export const HTTP_PATTERN = "\\s*[Hh][Tt][Tt][Pp][Ss]?:.+";

/** A text with a check of its own. */
export function textOf(format: TextFormat): z.ZodString {
  const { title, pattern, examples } = format;
  return z
    .string({
      error: ({ input }) =>
        typeof input === "number" && format.ofNumber !== undefined ? format.ofNumber(input) : undefined,
    })
    .max(MAX_TEXT_CHARS)
    .superRefine((text, context) => {
      const found = format.check(text);
      if (found !== null) {
        const { message, detail } = typeof found === "string" ? { message: found, detail: "" } : found;
        context.addIssue({ code: "custom", message, params: { quotable: format.quotes, detail } });
      }
    })
    .meta({
      ...(title === undefined ? {} : { title }),
      ...(pattern === undefined ? {} : { pattern: `^(${pattern}|.*\\$\\{.*)$` }),
      ...(examples === undefined ? {} : { examples: [...examples] }),
    });
}

/** A key that may be left out: it is null then. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.optional().transform((value) => value ?? null);

/** @param maxMicros the largest plausible amount */
export const moneyText = (maxMicros = Number.MAX_SAFE_INTEGER) =>
  textOf({
    check: (text) => {
      const error = failureOf(() => parseMoney(text));
      if (error === null) {
        return parseMoney(text).micros > maxMicros ? `is too much: ${maxMicros} micros is the most` : null;
      }
      const reason = isLicetError(error, "MONEY_INVALID") ? error.details.reason : "it cannot be read";
      const suggestion = suggestMoney(text);
      return {
        message: `is not an amount of money: ${reason}`,
        detail: suggestion === null ? ' (like "12.50 USD")' : `: write "${suggestion}"`,
      };
    },
    ofNumber: (value) => `must be an amount with its currency: write "${suggestMoney(String(value)) ?? "12.50 USD"}"`,
    quotes: true,
    title: "amount of money",
    pattern: "\\s*\\d+(\\.\\d{1,6})? +[A-Z][A-Z0-9]{2,7}\\s*",
    examples: ["12.50 USD"],
  }).transform((text) => parseMoney(text));

/**
 * A text that becomes milliseconds.
 *
 * @param minMs the shortest useful duration
 * @param maxMs the longest useful duration
 */
export const durationText = (minMs = 0, maxMs = Number.MAX_SAFE_INTEGER) =>
  textOf({
    check: (text) => {
      if (failureOf(() => parseDuration(text)) !== null) {
        return 'is not a duration: write a whole number and one unit (ms, s, m, h or d), like "30d"';
      }
      const durationMs = parseDuration(text);
      if (durationMs < minMs) {
        return `is too short: ${minMs} ms is the least`;
      }
      return durationMs > maxMs ? `is too long: ${maxMs} ms is the most` : null;
    },
    ofNumber: (value) =>
      Number.isSafeInteger(value) && value >= 0
        ? `must be a duration with its unit: write "${value}s", "${value}m", "${value}h" or "${value}d"`
        : 'must be a duration, such as "30d"',
    quotes: true,
    title: "duration",
    pattern: "\\d+(ms|s|m|h|d)",
    examples: ["30d", "6h", "90s"],
  }).transform((text) => parseDuration(text));

/** For keys whose name has the unit: a number of milliseconds, or a duration. */
export const durationMs = (minMs: number, maxMs?: number) =>
  z.union(
    [
      z
        .int()
        .min(minMs)
        .max(maxMs ?? Number.MAX_SAFE_INTEGER),
      durationText(minMs, maxMs),
    ],
    {
      error: ({ input }) =>
        typeof input === "number" || typeof input === "string"
          ? undefined
          : "must be a number of milliseconds, or a duration such as 30s",
    },
  );

export const cronText = () =>
  textOf({
    check: (text) => {
      if (!CRON_FIELDS_PATTERN.test(text.trim())) {
        return "is not a cron expression: five fields (minute, hour, day, month, weekday), or six with seconds first";
      }
      if (/(?:^|[\s,])H/i.test(text)) {
        return "has an H, whose time would be another one at each start: write the minute, such as 17";
      }
      const parse = () => CronExpressionParser.parse(text.trim(), { tz: "UTC", currentDate: CRON_TRIAL_DAY }).next();
      const error = failureOf(parse);
      return error === null ? null : { message: "is not a cron expression", detail: `: ${error.message}` };
    },
    quotes: true,
    examples: ["0 */6 * * *"],
  }).transform((text) => text.trim());

/** The name of a time zone that this machine knows. */
export const timeZoneText = () =>
  textOf({
    check: (text) =>
      failureOf(() => new Intl.DateTimeFormat("en", { timeZone: text })) === null
        ? null
        : "is not a time zone: write a name such as Europe/Berlin",
    quotes: true,
    examples: ["UTC", "Europe/Berlin"],
  });

/** A site's host in the form that is compared, or null when the text is not only a host. */
export function toHost(text: string): string | null {
  const url = /[/?#@\\]/.test(text) ? null : URL.parse(`https://${text.trim()}`);
  return url !== null && HOST_PATTERN.test(url.host) ? url.host : null;
}

function toCheckedHost(text: string): string {
  const host = toHost(text);
  assertBug(host !== null, "a host was checked to be one");
  return host;
}

export const hostText = () =>
  textOf({
    check: (text) => {
      if (toHost(text) !== null) {
        return null;
      }
      const url = URL.parse(text);
      const host = url === null ? null : toHost(url.host);
      const message = "is not a host: write it without scheme and path";
      return host === null ? message : { message, detail: `, as ${host}` };
    },
    quotes: true,
    examples: ["news.example"],
  }).transform(toCheckedHost);

export const globText = () =>
  textOf({
    check: (text) => {
      if (/^[a-z]+:\/\//i.test(text)) {
        return "is an address: globs are matched against the path alone, such as /news/**";
      }
      return findGlobProblem(text);
    },
    quotes: true,
    examples: ["/news/**"],
  });

export const httpUrlText = () =>
  textOf({
    check: (text) => {
      const url = URL.parse(text);
      if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
        return "must be an http or https address";
      }
      return url.username === "" && url.password === "" && url.hash === ""
        ? null
        : "must be an address without user name, password and fragment";
    },
    quotes: false,
    pattern: HTTP_PATTERN,
  });

/** A date, or a date and time, as catalogs write it. */
export const dateText = () =>
  textOf({
    check: (text) =>
      parseLastMod(text) === null ? "is not a date: write it like 2026-11-20 or 2026-11-20T08:30:00Z" : null,
    quotes: true,
    title: "date",
    pattern: "\\s*\\d{4}-\\d\\d-\\d\\d.*",
    examples: ["2026-11-20"],
  });

/** Characters that a header transports unchanged. */
export const headerText = () =>
  textOf({
    check: (text) => {
      if (text === "") {
        return "is empty";
      }
      return /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text)
        ? null
        : "must be visible ASCII without white space around it: it is sent as a header";
    },
    quotes: false,
  });

/** A text with a pattern of its own. */
export const patternText = (pattern: RegExp, complaint: string, examples: readonly string[] = []) =>
  textOf({
    check: (text) => (pattern.test(text) ? null : complaint),
    quotes: true,
    ...(examples.length === 0 ? {} : { examples }),
  });

function failureOf(parse: () => unknown): Error | null {
  try {
    parse();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

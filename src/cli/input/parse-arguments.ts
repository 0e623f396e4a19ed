/** Parses the values of options strictly: a typing error must not become a default. */
import { InvalidArgumentError } from "commander";
import type { Field } from "../../agent/calls/fields.ts";
import { isLicetError } from "../../errors.ts";
import type { Money } from "../../money/money.ts";
import { parseMoney } from "../../money/parse-money.ts";
import { parseDuration } from "../../time/duration.ts";

/** The option `--order` of `run` and `plan`. */
export const ORDER_SAYS = "what is bought first; other than catalog, all pages are quoted before";

/** Parses the number of an option of a call, and checks it as the call does. */
export function parseNumber({ check }: Field): (text: string) => number {
  return (text) => accept(/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN, check);
}

/** Checks the text of an option of a call as the call does, and returns it as it was written. */
export function parseText({ check }: Field): (text: string) => string {
  return (text) => accept(text, check);
}

function accept<Value>(value: Value, check: Field["check"]): Value {
  const wrong = check(value);
  if (wrong !== null) {
    throw new InvalidArgumentError(`It ${wrong}.`);
  }
  return value;
}

/** Parses a whole number from 0 to `max`. */
export function parseWholeUpTo(max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value <= max)) {
      throw new InvalidArgumentError(`It must be a whole number from 0 to ${max}.`);
    }
    return value;
  };
}

/** Parses a duration such as `3s` to ms, from 1 ms to `longest`. */
export function parseDurationUpTo(longest: string): (text: string) => number {
  return (text) => {
    const ms = readDuration(text);
    if (!(ms >= 1 && ms <= parseDuration(longest))) {
      throw new InvalidArgumentError(`It must be a duration up to ${longest}, such as 3s or 5m.`);
    }
    return ms;
  };
}

/** Checks an age such as `90d` and returns it unchanged. */
export function parseAge(text: string): string {
  readDuration(text);
  return text;
}

function readDuration(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw isLicetError(error) ? new InvalidArgumentError(`${error.message}. ${error.hint ?? ""}`.trim()) : error;
  }
}

/** Parses an amount such as `5 USD`. */
export function parseMoneyArgument(text: string): Money {
  try {
    return parseMoney(text);
  } catch (error) {
    throw isLicetError(error) ? new InvalidArgumentError(`${error.message}. ${error.hint ?? ""}`.trim()) : error;
  }
}

/** The option `--trust-clock` of commands that refuse a clock which may be ahead. */
export const TRUST_CLOCK = "the clock is right, although it differs from the gateway's or is far ahead of the ledger";

/** For options that may be given more than once. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

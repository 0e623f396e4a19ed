/**
 * Checks the arguments of public functions at run time. TypeScript does not check values from JSON, from a form, or from
 * JavaScript. A wrong argument throws LicetError USAGE_INVALID before anything begins. Without these checks, a limit of `NaN`
 * would not limit anything, and a mistyped option would do nothing.
 */
import { LicetError } from "./errors.ts";
import { suggestKey } from "./suggest-key.ts";

/** Returns the problem of a value, as the end of a sentence, or null when there is none. */
export type Check = (value: unknown) => string | null;
/** One check for each option. A new option without a check is a type error. */
export type Checks<Options> = { readonly [Name in keyof Required<Options>]: Check };

const MAX_SHOWN_CHARS = 80;

export const isText: Check = (value) => (typeof value === "string" && value !== "" ? null : "must be a text");
/** Passes the empty text too. */
export const isString: Check = (value) => (typeof value === "string" ? null : "must be a text");
/** Passes every number, because its range is an error of the input and not of the program. */
export const isNumber: Check = (value) => (typeof value === "number" ? null : "must be a number");
export const isFlag: Check = (value) => (typeof value === "boolean" ? null : "must be true or false");
export const isFunction: Check = (value) => (typeof value === "function" ? null : "must be a function");
export const isCount: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 1 ? null : "must be a whole number, 1 or more";
export const isTexts: Check = (value) =>
  Array.isArray(value) && value.every((one) => isText(one) === null) ? null : "must be a list of texts";
export const isSignal: Check = (value) =>
  isObject(value) && typeof value.aborted === "boolean" && typeof value.addEventListener === "function"
    ? null
    : "must be an AbortSignal";

/** Passes one of some texts. */
export const isOneOf =
  (known: readonly string[]): Check =>
  (value) =>
    typeof value === "string" && known.includes(value) ? null : `must be one of ${known.join(", ")}`;

/** Passes null too. */
export const isNullOr =
  (check: Check): Check =>
  (value) =>
    value === null ? null : check(value);

/**
 * Checks the names and values of an object of options. An undefined value counts as absent.
 * @param options.required names without which the call means nothing
 * @returns the options that were given
 * @throws LicetError USAGE_INVALID
 */
export function checkOptions<Options>(
  call: string,
  options: unknown,
  checks: Checks<Options>,
  { required = [] }: { readonly required?: readonly (keyof Options & string)[] } = {},
): Options {
  const example = () => `Write it like ${call}({ ${required.length === 0 ? "…" : required.join(", ")} }).`;
  if (!isObject(options) || Array.isArray(options)) {
    throw misused(call, `what it is given must be an object, not ${show(options)}`, example());
  }
  // Two calls of each page come through here.
  const given: Record<string, unknown> = {};
  for (const name of Object.keys(options)) {
    const value = options[name];
    if (value === undefined) {
      continue;
    }
    if (!Object.hasOwn(checks, name)) {
      throw misused(call, `there is no option ${show(name)}`, suggestKey(name, Object.keys(checks)));
    }
    given[name] = checkArgument(call, name, value, checks[name as keyof Options]);
  }
  const missing = required.filter((name) => given[name] === undefined);
  if (missing.length > 0) {
    throw misused(call, `${missing.join(", ")} must be given`, example());
  }
  return given as Options;
}

/** Checks one argument. @throws LicetError USAGE_INVALID */
export function checkArgument<Value>(call: string, name: string, value: Value, check: Check): Value {
  const wrong = check(value);
  if (wrong !== null) {
    throw misused(call, `${name} ${wrong}, not ${show(value)}`, `See the documentation of ${call}.`);
  }
  return value;
}

export function misused(call: string, what: string, hint: string): LicetError {
  return new LicetError("USAGE_INVALID", `${call}: ${what}`, { hint, details: { call } });
}

export function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}

/** Shows a value as a program would write it, shortened. It never shows the content of an object, which may contain a secret. */
export function show(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.slice(0, MAX_SHOWN_CHARS));
  }
  if (typeof value === "function") {
    return "a function";
  }
  return Array.isArray(value) ? "a list" : isObject(value) ? "an object" : String(value);
}

/** What was thrown, as plain data, and back: an operating error keeps its code and details, and every error its name, message and stack. */
import { type ErrorCode, type ErrorDetails, isLicetError, LicetError } from "../../errors.ts";

export type Failure =
  | {
      readonly kind: "operating";
      readonly code: ErrorCode;
      readonly hint: string | null;
      readonly details: ErrorDetails;
      readonly error: ErrorText;
    }
  | { readonly kind: "error"; readonly error: ErrorText }
  | { readonly kind: "value"; readonly value: string };

interface ErrorText {
  readonly name: string;
  readonly message: string;
  readonly stack: string | null;
  /** Of the system or of SQLite. */
  readonly systemCode: string | null;
  readonly cause: Failure | null;
}

export function toFailure(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) {
    return { kind: "value", value: String(thrown) };
  }
  const error = toText(thrown);
  return isLicetError(thrown)
    ? { kind: "operating", code: thrown.code, hint: thrown.hint ?? null, details: thrown.details, error }
    : { kind: "error", error };
}

/** For another machine: without stacks, causes and whatever else tells of this one. */
export function toBareFailure({ name, message, code, hint, details }: LicetError): Failure {
  const error: ErrorText = { name, message, stack: null, systemCode: null, cause: null };
  return { kind: "operating", code, hint: hint ?? null, details, error };
}

export function toError(failure: Failure): unknown {
  if (failure.kind === "value") {
    return failure.value;
  }
  const { message, name, stack, systemCode, cause } = failure.error;
  const because = cause === null ? {} : { cause: toError(cause) };
  if (failure.kind === "operating") {
    const { code, hint, details } = failure;
    const options = { details, ...(hint === null ? {} : { hint }), ...because };
    return withStack(new LicetError<ErrorCode>(code, message, options as never), stack);
  }
  const error = Object.assign(new Error(message, because), systemCode === null ? {} : { code: systemCode });
  return withStack(Object.defineProperty(error, "name", { value: name, configurable: true, writable: true }), stack);
}

function toText(error: Error): ErrorText {
  const { name, message, stack = null, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    name,
    message,
    stack,
    systemCode: typeof code === "string" ? code : null,
    cause: cause === undefined ? null : toFailure(cause),
  };
}

/** Where it was thrown says more than where it was read. */
function withStack<Thrown extends Error>(error: Thrown, stack: string | null): Thrown {
  if (stack !== null) {
    error.stack = stack;
  }
  return error;
}

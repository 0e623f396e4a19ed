/**
 * Operating errors: failures outside licet's own logic. Each code defines whether a retry may succeed (`retry`) and how much work
 * it ends (`stops`), so no caller needs to parse the message. Outcomes (denied, in doubt, budget exhausted) are values, not
 * errors. Bugs are assertions. Every code has a paragraph in docs/errors.md, and a test compares the two.
 */
import type { ErrorDetailsByCode } from "./error-details.ts";

/** Whether the same call may succeed later. */
export type Retry = "never" | "later";
/** How much work must end. */
export type Stops = "page" | "site" | "run";

interface ErrorClass {
  readonly retry: Retry;
  readonly stops: Stops;
}

export const ERROR_CODES = {
  // the machine
  NODE_UNSUPPORTED: { retry: "never", stops: "run" },
  INSTALL_INCOMPLETE: { retry: "never", stops: "run" },
  // configuration and command line
  CONFIG_NOT_FOUND: { retry: "never", stops: "run" },
  CONFIG_INVALID: { retry: "never", stops: "run" },
  ENV_MISSING: { retry: "never", stops: "run" },
  USAGE_INVALID: { retry: "never", stops: "run" },
  MONEY_INVALID: { retry: "never", stops: "run" },
  DURATION_INVALID: { retry: "never", stops: "run" },
  INPUT_INVALID: { retry: "never", stops: "page" },
  // pages
  PAGE_URL_INVALID: { retry: "never", stops: "page" },
  // gateway
  GATEWAY_UNREACHABLE: { retry: "later", stops: "run" },
  GATEWAY_TIMEOUT: { retry: "later", stops: "page" },
  GATEWAY_REFUSED: { retry: "never", stops: "page" },
  GATEWAY_UNAUTHORIZED: { retry: "never", stops: "run" },
  GATEWAY_FORBIDDEN: { retry: "never", stops: "page" },
  GATEWAY_NOT_FOUND: { retry: "never", stops: "page" },
  GATEWAY_RATE_LIMITED: { retry: "later", stops: "page" },
  GATEWAY_FAILED: { retry: "later", stops: "page" },
  GATEWAY_ANSWER_INVALID: { retry: "later", stops: "page" },
  GATEWAY_ANSWER_TOO_LARGE: { retry: "never", stops: "page" },
  GATEWAY_REDIRECTED: { retry: "never", stops: "run" },
  // ledger
  LEDGER_MISSING: { retry: "never", stops: "run" },
  LEDGER_LOCKED: { retry: "later", stops: "run" },
  LEDGER_CORRUPT: { retry: "never", stops: "run" },
  LEDGER_OLDER: { retry: "never", stops: "run" },
  LEDGER_NEWER: { retry: "never", stops: "run" },
  LEDGER_PRESENT: { retry: "never", stops: "run" },
  LEDGER_RESTORED: { retry: "never", stops: "run" },
  LEDGER_UNWRITABLE: { retry: "never", stops: "run" },
  DISK_FULL: { retry: "later", stops: "run" },
  RUN_NOT_FOUND: { retry: "never", stops: "run" },
  RUN_OVER: { retry: "never", stops: "run" },
  CLOCK_BEHIND: { retry: "never", stops: "run" },
  CLOCK_UNSURE: { retry: "never", stops: "run" },
  RUN_ALIVE: { retry: "later", stops: "run" },
  SERVICE_ALIVE: { retry: "later", stops: "run" },
  SERVICE_LOST: { retry: "later", stops: "run" },
  SERVICE_STOPPING: { retry: "later", stops: "run" },
  SERVICE_UNREACHABLE: { retry: "later", stops: "run" },
  // workers on other machines
  WORKER_EXPIRED: { retry: "later", stops: "run" },
  WORKER_VERSION: { retry: "never", stops: "run" },
  PURCHASE_NOT_FOUND: { retry: "never", stops: "run" },
  PURCHASE_NOT_IN_DOUBT: { retry: "never", stops: "run" },
  REPORT_NOT_FOUND: { retry: "never", stops: "run" },
  REPORT_NOT_TO_RECONCILE: { retry: "never", stops: "run" },
  ALERT_NOT_FOUND: { retry: "never", stops: "run" },
  OPEN_ITEM_NOT_FOUND: { retry: "never", stops: "run" },
  OPEN_ITEM_NEEDS_WORD: { retry: "never", stops: "run" },
  // lists
  LIST_UNREADABLE: { retry: "later", stops: "run" },
  LIST_CHANGED: { retry: "never", stops: "run" },
  // what a program does with the documents of a run
  DOCUMENT_NOT_TAKEN: { retry: "later", stops: "run" },
  // cursors
  CURSOR_IN_USE: { retry: "later", stops: "run" },
  CURSOR_MISMATCH: { retry: "never", stops: "run" },
  CURSOR_AHEAD: { retry: "never", stops: "run" },
  // queue
  QUEUE_UNREACHABLE: { retry: "later", stops: "run" },
  QUEUE_NOT_SHARED: { retry: "never", stops: "run" },
  // saved plans
  PLAN_REFUSED: { retry: "never", stops: "run" },
  PLAN_UNWRITABLE: { retry: "never", stops: "run" },
  // export, backup
  BACKUP_UNWRITABLE: { retry: "never", stops: "run" },
  EXPORT_UNWRITABLE: { retry: "never", stops: "run" },
  OUTPUT_UNWRITABLE: { retry: "later", stops: "run" },
  // servers: sandbox, serve
  LISTEN_FAILED: { retry: "later", stops: "run" },
  // HTTP interface
  TOKEN_REQUIRED: { retry: "never", stops: "run" },
  TOKEN_NOT_SET: { retry: "never", stops: "run" },
  TOKEN_READ_ONLY: { retry: "never", stops: "run" },
  TOKEN_OTHER_RIGHT: { retry: "never", stops: "run" },
  ORIGIN_REFUSED: { retry: "never", stops: "run" },
  FORM_REFUSED: { retry: "never", stops: "run" },
  HOST_REFUSED: { retry: "never", stops: "run" },
  REQUEST_INVALID: { retry: "never", stops: "run" },
  ROUTE_NOT_FOUND: { retry: "never", stops: "run" },
  METHOD_NOT_ALLOWED: { retry: "never", stops: "run" },
  BODY_TOO_LARGE: { retry: "never", stops: "run" },
  MEDIA_TYPE_UNSUPPORTED: { retry: "never", stops: "run" },
  SERVICE_BUSY: { retry: "later", stops: "run" },
  RUN_NOT_HERE: { retry: "never", stops: "run" },
  DOCUMENT_NOT_FOUND: { retry: "never", stops: "run" },
  EVIDENCE_NOT_FOUND: { retry: "never", stops: "run" },
  INTERNAL_ERROR: { retry: "never", stops: "run" },
  // life cycle
  INTERRUPTED: { retry: "later", stops: "run" },
} as const satisfies Record<keyof ErrorDetailsByCode, ErrorClass>;

/** One of the codes of docs/errors.md. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The details of an error, by its code: plain JSON without secrets (docs/errors.md lists them). */
export type ErrorDetails<Code extends ErrorCode = ErrorCode> = ErrorDetailsByCode[Code];

/** What a `LicetError` contains beside its code and message. */
export interface LicetErrorOptions<Code extends ErrorCode = ErrorCode> {
  /** What the reader can do about it, as a sentence. */
  readonly hint?: string;
  readonly details?: ErrorDetails<Code>;
  readonly cause?: unknown;
}

/** An operating error with one code. */
export interface LicetErrorOf<Code extends ErrorCode> extends Error {
  readonly name: "LicetError";
  readonly code: Code;
  readonly hint: string | undefined;
  readonly details: ErrorDetails<Code>;
  /** Whether the same call may succeed later. */
  readonly retry: Retry;
  /** How much work must end. */
  readonly stops: Stops;
  /** For `--json` and logs. It contains no stack and no secret. */
  toJSON(): { code: Code; message: string; hint?: string; details: ErrorDetails<Code> };
}

/** An operating error. `error.code` decides the type of `error.details`. */
export type LicetError<Code extends ErrorCode = ErrorCode> = Code extends ErrorCode ? LicetErrorOf<Code> : never;

/** The last argument of `new LicetError`. It may be left out only when the code needs no details. */
export type LicetErrorArguments<Code extends ErrorCode> =
  Readonly<Record<never, never>> extends ErrorDetails<Code>
    ? [options?: LicetErrorOptions<Code>]
    : [options: LicetErrorOptions<Code> & { readonly details: ErrorDetails<Code> }];

/** Makes operating errors. `prototype` gives `instanceof` the type of every code. */
export interface LicetErrorConstructor {
  readonly prototype: LicetError;
  new <Code extends ErrorCode>(code: Code, message: string, ...options: LicetErrorArguments<Code>): LicetError<Code>;
}

/** An operating error: what happened, to what, and what to do. */
export const LicetError = class LicetError extends Error {
  override readonly name = "LicetError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly details: ErrorDetails;
  readonly retry: Retry;
  readonly stops: Stops;

  constructor(code: ErrorCode, message: string, options: LicetErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
    this.retry = ERROR_CODES[code].retry;
    this.stops = ERROR_CODES[code].stops;
  }

  toJSON(): ReturnType<LicetErrorOf<ErrorCode>["toJSON"]> {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      details: this.details,
    };
  }
} as unknown as LicetErrorConstructor;

/** True for an operating error of licet, optionally with one code. */
export function isLicetError(error: unknown): error is LicetError;
export function isLicetError<Code extends ErrorCode>(error: unknown, code: Code): error is LicetError<Code>;
export function isLicetError(error: unknown, code?: ErrorCode): boolean {
  return error instanceof LicetError && (code === undefined || error.code === code);
}

/** For a `catch` that goes on after an operating error. @throws what was caught, where it is another one: nothing may swallow a bug */
export function assertLicetError(error: unknown): asserts error is LicetError;
export function assertLicetError<Code extends ErrorCode>(error: unknown, code: Code): asserts error is LicetError<Code>;
export function assertLicetError(error: unknown, code?: ErrorCode): void {
  if (!(error instanceof LicetError) || (code !== undefined && error.code !== code)) {
    throw error;
  }
}

/** The message of what was thrown, which need not be an `Error`. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** `GATEWAY_UNAUTHORIZED: the key is refused`: for a log, where people look for codes. */
export function describeError(thrown: unknown): string {
  return isLicetError(thrown) ? `${thrown.code}: ${thrown.message}` : messageOf(thrown);
}

/** Asserts a condition that only a bug in licet can break. A failed assertion stops the job. It is never caught to continue. */
export function assertBug(condition: unknown, message: string): asserts condition {
  if (!condition) {
    throw new Error(`bug: ${message}`);
  }
}

/** @returns the code of an error of the file system, such as `EACCES`; null for any other error */
export function fileErrorCode(error: unknown): string | null {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return error instanceof Error && typeof code === "string" && syscall !== undefined ? code : null;
}

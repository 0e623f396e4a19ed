/**
 * The details of each operating error, by its code: plain JSON without secrets. `error.details` has the type of `error.code`, and an
 * error cannot be made without the details of its code. docs/errors.md lists the same names, and a test compares the two.
 */

/** The call to the gateway that failed. */
export interface GatewayCallDetails {
  /** The page of the call. */
  readonly url?: string;
  /** The site of the call. */
  readonly host?: string;
  /** The number of pages of the call. */
  readonly urls?: number;
  /** The endpoint: `catalog`, `rate`, `rate_batch`, `content_token`, `indexing_token`, `history`, `content`, `self_report`. */
  readonly call?: string;
  /** How often the call was sent. */
  readonly attempts?: number;
  /** The code of the gateway's own error. */
  readonly gatewayCode?: string | null;
  /** Names the request to the gateway's operator. */
  readonly requestId?: string | null;
}

/** A call that the gateway answered with an error. */
export interface GatewayStatusDetails extends GatewayCallDetails {
  /** The HTTP status. */
  readonly status: number;
}

/** The file of the ledger that failed. */
export interface LedgerDetails {
  readonly path: string;
}

/** The number of the usage report that the call is about. */
export interface UsageReportDetails {
  readonly batchId: number;
}

/** A place that cannot be written. */
export interface WriteDetails {
  readonly path: string;
  /** The error of the operating system or of SQLite. Absent: something else is there. */
  readonly code?: string;
}

/** Where a configuration is wrong. */
export interface ConfigDetails {
  /** Null for an object. */
  readonly file?: string | null;
  /** The first line with a problem, from 1. */
  readonly line?: number | null;
  /** The first key with a problem, such as `sites[0].policy`. */
  readonly path?: string | null;
  /** How many problems the message lists. */
  readonly problems?: number;
}

/** A wrong value of a request to the HTTP interface. */
export interface RequestProblem {
  /** Where the value is: `body`, `querystring`, `params` or `headers`. */
  readonly in: string;
  /** The key, such as `hosts[0]`. Empty: the whole. */
  readonly path: string;
  readonly message: string;
}

/** A setting that differs from the one that a plan was made under. */
export interface PlanDifference {
  /** Such as `policies.standard.rules[1]`. */
  readonly where: string;
  /** As JSON. Null: it was not set. */
  readonly planned: string | null;
  /** As JSON. Null: it is not set. */
  readonly now: string | null;
}

/** The message says everything. */
export type NoDetails = Readonly<Record<never, never>>;

/**
 * What the details of each code contain. A name with `?` is there when it is known. `code` is the operating system's error, `process` such as
 * `host:1234`, and an instant is ISO 8601.
 */
export interface ErrorDetailsByCode {
  readonly NODE_UNSUPPORTED: NoDetails;
  /** The part of the installation that is missing. */
  readonly INSTALL_INCOMPLETE: { readonly package: string };
  /** The missing file, the directory without a configuration, or the missing file of variables. */
  readonly CONFIG_NOT_FOUND: { readonly file?: string; readonly cwd?: string; readonly path?: string };
  /** `column`: from 1. `key`: the wrong option of a `GatewayClient`, such as `gateway.apiKey`. `operation`: what the queue does not have. */
  readonly CONFIG_INVALID: ConfigDetails & {
    readonly column?: number | null;
    readonly key?: string;
    readonly operation?: string;
  };
  readonly ENV_MISSING: ConfigDetails;
  readonly USAGE_INVALID: {
    /** The function or method that was called wrongly. */
    readonly call?: string;
    readonly host?: string;
    readonly currency?: string;
    readonly path?: string;
    readonly dir?: string;
    readonly code?: string;
  };
  /** What is wrong with the amount, as the end of a sentence. */
  readonly MONEY_INVALID: { readonly reason: string };
  readonly DURATION_INVALID: NoDetails;
  /** `path`: the file that cannot be read. */
  readonly INPUT_INVALID: { readonly url?: string; readonly path?: string; readonly code?: string };
  readonly PAGE_URL_INVALID: NoDetails;
  readonly GATEWAY_UNREACHABLE: GatewayCallDetails;
  readonly GATEWAY_TIMEOUT: GatewayCallDetails;
  readonly GATEWAY_REFUSED: GatewayStatusDetails;
  readonly GATEWAY_UNAUTHORIZED: GatewayStatusDetails;
  readonly GATEWAY_FORBIDDEN: GatewayStatusDetails;
  readonly GATEWAY_NOT_FOUND: GatewayStatusDetails;
  readonly GATEWAY_RATE_LIMITED: GatewayStatusDetails;
  /** Without `status`, the connection ended before an answer. */
  readonly GATEWAY_FAILED: GatewayCallDetails & { readonly status?: number };
  readonly GATEWAY_ANSWER_INVALID: GatewayCallDetails & {
    readonly status?: number;
    /** The address that was asked, without its query. */
    readonly address?: string;
    /** What came instead of JSON. */
    readonly contentType?: string | null;
    /** The title of the page that came instead of JSON. */
    readonly title?: string | null;
  };
  readonly GATEWAY_ANSWER_TOO_LARGE: GatewayCallDetails;
  /** The origin that the gateway redirects to. Null: another path of its own. */
  readonly GATEWAY_REDIRECTED: GatewayStatusDetails & { readonly location?: string | null };
  readonly LEDGER_MISSING: LedgerDetails;
  readonly LEDGER_LOCKED: LedgerDetails;
  readonly LEDGER_CORRUPT: LedgerDetails & Partial<UsageReportDetails>;
  readonly LEDGER_OLDER: LedgerDetails;
  /** The version of the ledger's schema, and the newest version that this licet knows. */
  readonly LEDGER_NEWER: LedgerDetails & { readonly version: number; readonly known: number };
  readonly LEDGER_PRESENT: LedgerDetails;
  /** When the copy was made. */
  readonly LEDGER_RESTORED: LedgerDetails & { readonly madeAt: string };
  readonly LEDGER_UNWRITABLE: LedgerDetails;
  readonly DISK_FULL: LedgerDetails & { readonly freeBytes?: number | null };
  /** Absent: there is no unfinished run. */
  readonly RUN_NOT_FOUND: { readonly runId?: string };
  /** `state`: how it ended. A run that another one took over keeps the state in which it was left. */
  readonly RUN_OVER: { readonly runId: string; readonly state: string };
  /** The machine's clock, and the latest instant that was seen before. */
  readonly CLOCK_BEHIND: { readonly now: string; readonly latest: string };
  /** The machine's clock, and what it was compared with. `comparedWith`: `gateway` or `rows`. */
  readonly CLOCK_UNSURE: { readonly now: string; readonly other: string; readonly comparedWith: string };
  /** The process that works on the run. Null: not known. */
  readonly RUN_ALIVE: { readonly runId: string; readonly process: string | null };
  /** The process of the service at work, and where its HTTP interface listens. Null: not yet. */
  readonly SERVICE_ALIVE: LedgerDetails & { readonly process: string; readonly url: string | null };
  readonly SERVICE_LOST: NoDetails;
  readonly SERVICE_STOPPING: NoDetails;
  /** The address without credentials. */
  readonly SERVICE_UNREACHABLE: { readonly url: string };
  readonly WORKER_EXPIRED: NoDetails;
  readonly WORKER_VERSION: { readonly worker: string; readonly service: string };
  readonly PURCHASE_NOT_FOUND: { readonly purchaseId: number };
  readonly PURCHASE_NOT_IN_DOUBT: { readonly purchaseId: number; readonly state: string };
  readonly REPORT_NOT_FOUND: UsageReportDetails;
  readonly REPORT_NOT_TO_RECONCILE: UsageReportDetails & { readonly state: string };
  readonly ALERT_NOT_FOUND: { readonly alertId: number };
  readonly OPEN_ITEM_NOT_FOUND: { readonly itemId: number };
  /** `batchId`: the usage report to resolve instead. */
  readonly OPEN_ITEM_NEEDS_WORD: { readonly itemId: number; readonly batchId: number | null };
  /** The file (null: a program's own list), the lines that were read, and the error (null: there was none). */
  readonly LIST_UNREADABLE: { readonly path: string | null; readonly line: number; readonly code: string | null };
  /** The file (null: standard input or a program's own list), and the lines that the run had read. */
  readonly LIST_CHANGED: { readonly path: string | null; readonly linesRead: number };
  /** `runId`: the run that bought the document. */
  readonly DOCUMENT_NOT_TAKEN: { readonly url: string; readonly purchaseId: number; readonly runId: string };
  /** The process of the other reader. Null: it has ended by now. */
  readonly CURSOR_IN_USE: { readonly cursor: string; readonly process: string | null };
  /** What the cursor reads or where it writes, and what the call says. */
  readonly CURSOR_MISMATCH: { readonly cursor: string; readonly known: string; readonly given: string };
  /** Numbers of documents: where the cursor is, and the newest one of the ledger. */
  readonly CURSOR_AHEAD: { readonly cursor: string; readonly seq: number; readonly lastSeq: number };
  readonly QUEUE_UNREACHABLE: NoDetails;
  readonly QUEUE_NOT_SHARED: NoDetails;
  readonly PLAN_REFUSED: {
    readonly path: string;
    /** Why, as docs/vocabulary.md lists it. */
    readonly reason: string;
    /** The line that is wrong, from 1. */
    readonly line?: number;
    /** What differs from the configuration that the plan was made under. */
    readonly differences?: readonly PlanDifference[];
    /** Until when the plan counted. */
    readonly expiresAt?: string;
    readonly code?: string;
  };
  readonly PLAN_UNWRITABLE: WriteDetails;
  /** Such as `ENOSPC`. Null: there was none. */
  readonly OUTPUT_UNWRITABLE: { readonly code: string | null };
  readonly BACKUP_UNWRITABLE: WriteDetails;
  readonly EXPORT_UNWRITABLE: WriteDetails;
  readonly LISTEN_FAILED: { readonly host: string; readonly port: number; readonly code: string };
  readonly TOKEN_REQUIRED: NoDetails;
  readonly TOKEN_NOT_SET: NoDetails;
  readonly TOKEN_READ_ONLY: NoDetails;
  readonly TOKEN_OTHER_RIGHT: NoDetails;
  readonly ORIGIN_REFUSED: NoDetails;
  readonly FORM_REFUSED: NoDetails;
  readonly HOST_REFUSED: NoDetails;
  /** What is wrong with each value. Absent: the request cannot be read at all. */
  readonly REQUEST_INVALID: { readonly problems?: readonly RequestProblem[] };
  /** `path`: without the query. */
  readonly ROUTE_NOT_FOUND: { readonly method: string; readonly path: string };
  readonly METHOD_NOT_ALLOWED: { readonly method: string; readonly allowed: readonly string[] };
  readonly BODY_TOO_LARGE: { readonly limitBytes: number };
  readonly MEDIA_TYPE_UNSUPPORTED: NoDetails;
  readonly SERVICE_BUSY: NoDetails;
  /** The run's state in the ledger. */
  readonly RUN_NOT_HERE: { readonly runId: string; readonly state: string };
  readonly DOCUMENT_NOT_FOUND: { readonly purchaseId: number };
  readonly EVIDENCE_NOT_FOUND: { readonly subject: string };
  /** Names the error in the log of the service. */
  readonly INTERNAL_ERROR: { readonly errorId: string };
  /** The ledger that was closed meanwhile; the run that is not cancelled yet, with its state. */
  readonly INTERRUPTED: GatewayCallDetails & {
    readonly path?: string;
    readonly runId?: string;
    readonly state?: string;
  };
}

/**
 * The options of each call, by its name, declared once: programs, requests, models and flags are checked by them, and the documents of the interface are
 * made from them. What an option means is said at its type.
 */
import { isObject } from "../../check-options.ts";
import { REPORT_STATES } from "../../ledger/report-reports.ts";
import { LISTED_RUN_KINDS, RUN_STATE_FILTERS } from "../../ledger/run-reports.ts";
import { RUN_ORDERS } from "../../policy/rule.ts";
import { DENIAL_REASONS } from "../../policy/verdict.ts";
import { STATEMENT_GROUPINGS } from "../../statement/statement.ts";
import type { Agent } from "../agent.ts";
import { LONGEST_EXPIRY, MAX_NAMED_PAGES } from "../plans/plan-report.ts";
import { PURCHASE_STATE_FILTERS } from "../reports/runs-report.ts";
import {
  amount,
  callback,
  count,
  countUpTo,
  cursorName,
  day,
  denialCursor,
  documentHash,
  duration,
  durationUpTo,
  flag,
  host,
  hosts,
  type Input,
  local,
  logCursor,
  month,
  ofProgram,
  oneOf,
  pageUrl,
  person,
  planName,
  reason,
  requestKey,
  runId,
  searchCursor,
  searchText,
  signal,
  since,
  text,
  texts,
} from "./fields.ts";

const MAX_DOCUMENT_CALLS = 1024;

type Given<Name extends keyof Agent> = Required<Parameters<Agent[Name]>>;
/** What a call takes last: its options. */
export type OptionsOf<Name extends keyof Agent> =
  Given<Name> extends readonly [...unknown[], infer Last] ? NonNullable<Last> : never;

const listInput = ofProgram((value) => (isObject(value) ? null : "must be a file or the pages themselves"));
/** Who decides, and why: of each call that is kept as an act. */
const acting = { by: person, reason, requestKey };

export const INPUTS = {
  plan: {
    hosts,
    list: listInput,
    maxSpend: amount,
    maxPages: count,
    pages: countUpTo(MAX_NAMED_PAGES),
    order: oneOf(RUN_ORDERS),
    out: text,
    expires: durationUpTo(LONGEST_EXPIRY, "24h"),
    onPage: callback,
    signal,
  },
  run: {
    hosts,
    resume: local(text),
    fresh: flag,
    skipIfRunning: local(flag),
    trustClock: local(flag),
    plan: local(text),
    planContent: local(documentHash),
    list: listInput,
    maxSpend: amount,
    order: local(oneOf(RUN_ORDERS)),
    maxPages: count,
    onDocument: callback,
    onDocumentConcurrency: local(countUpTo(MAX_DOCUMENT_CALLS)),
    signal,
    ...acting,
  },
  fetch: {
    maxPrice: amount,
    maxSpend: amount,
    storedOnly: flag,
    deriveMarkdown: flag,
    trustClock: local(flag),
    signal,
  },
  cancel: { signal, ...acting },
  evidence: { limit: count },
  log: { limit: count, cursor: logCursor },
  use: { overBudget: flag, dryRun: flag },
  report: { signal, retryRejected: flag },
  status: { expiring: duration("30d") },
  runs: {
    limit: count,
    run: runId,
    site: host,
    state: oneOf(RUN_STATE_FILTERS),
    kind: oneOf(LISTED_RUN_KINDS),
    from: day,
    to: day,
    cursor: logCursor,
  },
  usageReports: { state: oneOf(REPORT_STATES), limit: count, cursor: logCursor },
  usageReport: { limit: count },
  raisedAlerts: { open: flag, limit: count, cursor: logCursor },
  acknowledgeAlert: acting,
  pauseSite: acting,
  unpauseSite: acting,
  plans: { limit: count, cursor: cursorName },
  planDetails: { against: planName, limit: count, cursor: logCursor },
  runDetails: { limit: count, site: host, license: text, state: oneOf(PURCHASE_STATE_FILTERS) },
  schedule: { limit: count, site: host },
  statement: { month, from: day, to: day, by: oneOf(STATEMENT_GROUPINGS), site: host, trustClock: local(flag) },
  spend: { from: day, to: day, site: host },
  denials: {
    run: runId,
    from: day,
    to: day,
    site: host,
    reason: oneOf(DENIAL_REASONS),
    limit: count,
    cursor: denialCursor,
  },
  sites: { limit: count, cursor: host },
  siteDetails: { maxPrice: amount },
  findDocuments: {
    url: pageUrl,
    title: searchText,
    site: host,
    license: searchText,
    hash: documentHash,
    limit: count,
    cursor: searchCursor,
  },
  rights: { within: duration("90d") },
  explain: { needsLedger: flag },
  alerts: { test: flag },
  check: { alerts: flag, offline: flag },
  resolve: { keepOff: flag, ...acting },
  // Its acts are many, and a request is one.
  resolveRun: { charged: flag, keepOff: flag, by: person, reason },
  resolveReport: acting,
  closeItem: acting,
  documents: { site: host, host: local(host), since, run: runId, deriveMarkdown: local(flag) },
  documentRange: {
    cursor: cursorName,
    target: cursorName,
    site: host,
    run: runId,
    deriveMarkdown: flag,
    trustClock: flag,
  },
  history: { daysAgo: count, limit: count },
  prune: { olderThan: duration("90d"), dryRun: flag, trustClock: flag },
  purge: { hosts, urls: texts, dryRun: flag, trustClock: flag, ...acting },
  backup: { force: flag, signal, onProgress: callback },
  acceptRestored: { dryRun: flag, ...acting },
} satisfies { readonly [Name in keyof Agent]?: Input<OptionsOf<Name>> };

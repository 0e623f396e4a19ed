/**
 * What the checkers remember from commit to commit, and what is new in one. The ledger forgets a token when its purchase is over, so
 * which token belongs to which purchase is learnt here, while the purchase is seen as started.
 */
import type { Charge, ContentRequestRecord, GatewayAccount, IssuedToken, ReceivedReport } from "../gateway/account.ts";
import type { Evidence } from "./evidence.ts";
import {
  type ContentRow,
  type LedgerRows,
  type Mark,
  type PurchaseRow,
  prepareLedgerRows,
  type ReportRow,
  type ResolutionRow,
  type UseRow,
} from "./ledger-rows.ts";

export interface Change<Row> {
  /** null when the row is new. */
  readonly before: Row | null;
  readonly now: Row;
}

/** One commit, and what had happened at the gateway between the commit before it and this one. */
export interface Step {
  readonly purchases: readonly Change<PurchaseRow>[];
  readonly uses: readonly Change<UseRow>[];
  readonly reports: readonly Change<ReportRow>[];
  readonly resolutions: readonly ResolutionRow[];
  readonly charged: readonly Charge[];
  readonly requested: readonly ContentRequestRecord[];
  readonly received: readonly ReceivedReport[];
}

export interface History {
  /** As they stood after the commit before. */
  readonly purchases: Map<number, PurchaseRow>;
  readonly uses: Map<number, UseRow>;
  readonly reports: Map<number, ReportRow>;
  /** Documents as they were when they were settled. */
  readonly contents: Map<number, ContentRow>;
  /** The newest of each purchase, this commit's included. */
  readonly resolutions: Map<number, ResolutionRow>;
  /** Tokens that were committed as started, by purchase; of an indexing fetch the newest. */
  readonly tokenOf: Map<number, string>;
  /** Every token that was ever committed as started. */
  readonly purchaseOf: Map<string, number>;
  readonly chargeOf: Map<string, Charge>;
  readonly issued: Map<string, IssuedToken>;
}

const histories = new WeakMap<GatewayAccount, History>();

/** The history of one world: its gateway's account stay the same object from its first step to its end. */
export function historyOf({ account }: Pick<Evidence, "account">): History {
  let history = histories.get(account);
  if (history === undefined) {
    history = {
      purchases: new Map(),
      uses: new Map(),
      reports: new Map(),
      contents: new Map(),
      resolutions: new Map(),
      tokenOf: new Map(),
      purchaseOf: new Map(),
      chargeOf: new Map(),
      issued: new Map(),
    };
    histories.set(account, history);
  }
  return history;
}

/** Reads what is new. Called once per commit, before anything else happens in the world. */
export function createStepReader({ db, account }: Evidence, history: History): () => Step {
  const rows = prepareLedgerRows(db);
  const marks: Marks = { purchases: new Map(), uses: new Map(), reports: new Map() };
  const seen = { charges: 0, requests: 0, reports: 0, tokens: 0, resolution: 0 };
  return db.transaction((): Step => {
    const charged = account.charges.slice(seen.charges);
    const requested = account.contentRequests.slice(seen.requests);
    const received = account.reports.slice(seen.reports);
    for (const token of account.tokens.slice(seen.tokens)) {
      history.issued.set(token.token, token);
    }
    for (const charge of charged) {
      history.chargeOf.set(charge.token, charge);
    }
    seen.charges = account.charges.length;
    seen.requests = account.contentRequests.length;
    seen.reports = account.reports.length;
    seen.tokens = account.tokens.length;
    const resolutions = rows.resolutionsAfter.all(seen.resolution);
    for (const resolution of resolutions) {
      history.resolutions.set(resolution.purchaseId, resolution);
      seen.resolution = resolution.id;
    }
    return { ...readChanges(rows, marks, history), resolutions, charged, requested, received };
  });
}

interface Marks {
  readonly purchases: Map<number, string>;
  readonly uses: Map<number, string>;
  readonly reports: Map<number, string>;
}

function readChanges(rows: LedgerRows, marks: Marks, history: History) {
  return {
    purchases: changesOf(rows.purchaseMarks.all(), marks.purchases, history.purchases, rows.purchase),
    uses: changesOf(rows.useMarks.all(), marks.uses, history.uses, rows.use),
    reports: changesOf(rows.reportMarks.all(), marks.reports, history.reports, rows.report),
  };
}

function changesOf<Row>(
  now: readonly Mark[],
  known: Map<number, string>,
  before: ReadonlyMap<number, Row>,
  row: { get(id: number): Row | undefined },
): Change<Row>[] {
  const changes: Change<Row>[] = [];
  for (const [id, mark] of now) {
    if (known.get(id) !== mark) {
      known.set(id, mark);
      changes.push({ before: before.get(id) ?? null, now: row.get(id) as Row });
    }
  }
  return changes;
}

/** Takes a commit in, once every rule has looked at it. */
export function remember(history: History, step: Step): void {
  for (const { now } of step.purchases) {
    history.purchases.set(now.id, now);
    if (now.token !== null) {
      history.tokenOf.set(now.id, now.token);
      history.purchaseOf.set(now.token, now.id);
    }
  }
  for (const { now } of step.uses) {
    history.uses.set(now.id, now);
  }
  for (const { now } of step.reports) {
    history.reports.set(now.id, now);
  }
}

/**
 * The outside view: it knows only the ledger's file and the gateway's own account, and neither how licet works nor what happened
 * before. It pairs charges and settlements by page, license and amount, and counts reports by page and license.
 */
import type Database from "better-sqlite3";
import type { Charge } from "../gateway/account.ts";
import { identify } from "../gateway/spellings.ts";
import type { Evidence, Violation } from "./evidence.ts";

interface BoughtRow {
  readonly id: number;
  /** As the gateway was asked for it. */
  readonly spelling: string;
  readonly licenseType: string;
  readonly licenseCuid: string | null;
  readonly state: string;
  readonly quoted: number;
  readonly currency: string;
  readonly charged: number | null;
  readonly chargedCurrency: string | null;
  /** Somebody has said what became of it, by hand. */
  readonly byHand: number;
  /** Its content came after it was in doubt or given up. Its page may have been bought again meanwhile. */
  readonly cameLate: number;
  /** Resolved by itself: it was quoted at nothing, so an overcharge whose answer was lost is known from the gateway's invoice alone. */
  readonly atNothing: number;
  /** There is an open item, or a closed one, that says that something is wrong with it. */
  readonly isFlagged: number;
  /** Bought from a list before a catalog gave its page a date, which is later by the gateway: nobody can know that it is the same text. */
  readonly isDatedLate: number;
}

const BOUGHT = `
  SELECT p.id, p.url AS spelling, l.license_type AS licenseType, l.cuid AS licenseCuid, p.state, p.quoted_micros AS quoted, p.currency,
    p.charged_micros AS charged, p.charged_currency AS chargedCurrency,
    EXISTS (SELECT 1 FROM resolution r WHERE r.purchase_id = p.id AND r.source = 'operator') AS byHand,
    EXISTS (SELECT 1 FROM resolution r WHERE r.purchase_id = p.id AND r.source = 'late_answer') AS cameLate,
    p.quoted_micros = 0 AND EXISTS (SELECT 1 FROM resolution r WHERE r.purchase_id = p.id AND r.source = 'nothing_to_charge') AS atNothing,
    EXISTS (SELECT 1 FROM open_item i WHERE i.purchase_id = p.id) AS isFlagged,
    p.last_mod IS NULL AND g.last_mod_at > coalesce(p.asked_at, p.reserved_at) AND EXISTS (SELECT 1 FROM run_list t WHERE t.run_id = p.run_id AND t.source = 'list') AS isDatedLate
  FROM purchase p JOIN license l ON l.id = p.license_id JOIN page g ON g.id = p.page_id WHERE p.intent = 'content' ORDER BY p.id`;

export function endOutsideView(evidence: Evidence): Violation[] {
  const bought = evidence.db.prepare<[], BoughtRow>(BOUGHT).all();
  const pairs = pairUp(bought, evidence);
  return [
    ...pairs.violations,
    ...endSums(pairs, evidence),
    ...endReports(evidence),
    ...endTokens(bought, evidence),
    ...endRequests(evidence),
    ...endVersions(bought, evidence),
  ];
}

interface Pairs {
  readonly violations: readonly Violation[];
  /** Charges that are booked as they are in the gateway's account. */
  readonly exact: readonly Charge[];
  /** Settled at another amount than was charged, or without a charge, and said to be so. */
  readonly excused: readonly BoughtRow[];
}

/** Every charge in the gateway's account is settled at its amount, or in doubt, or resolved by a person; and nothing else is settled. */
function pairUp(bought: readonly BoughtRow[], { account, omitsRate = false }: Evidence): Pairs {
  const left = new Set(bought);
  const exact: Charge[] = [];
  const excused: BoughtRow[] = [];
  const take = (charge: Charge, fits: (row: BoughtRow) => boolean): BoughtRow | undefined => {
    const row = [...left].find((one) => isOf(one, charge) && fits(one));
    if (row !== undefined) {
      left.delete(row);
    }
    return row;
  };
  const unpaired = account.charges.filter((charge) => {
    const isBooked = (row: BoughtRow) => row.state === "settled" && isBookedAs(row, charge);
    // What a person calls charged may never have been: it takes no charge from a purchase that the gateway answered.
    const row = take(charge, (one) => one.byHand === 0 && isBooked(one)) ?? take(charge, isBooked);
    const isPaired = row !== undefined;
    if (isPaired) {
      exact.push(charge);
    }
    return !isPaired;
  });
  const missing = unpaired.filter((charge) => {
    const other = take(charge, (row) => row.state === "settled" && isExcused(row, omitsRate));
    if (other !== undefined) {
      excused.push(other);
      return false;
    }
    const isGivenUp = ({ state, byHand, atNothing }: BoughtRow) =>
      state === "in_doubt" || byHand === 1 || atNothing === 1 || (charge.micros === 0 && state === "released");
    return take(charge, isGivenUp) === undefined;
  });
  const surplus = [...left].filter(({ state }) => state === "settled");
  excused.push(...surplus);
  return {
    exact,
    excused,
    violations: [
      ...missing.map(({ url, micros, currency }) =>
        broken(
          "charges-are-in-ledger",
          3,
          `the gateway took ${micros} ${currency} for ${url}, of which the ledger says nothing`,
        ),
      ),
      ...surplus
        .filter(({ byHand }) => byHand === 0)
        .map(({ id, spelling }) =>
          broken(
            "ledger-is-in-account",
            3,
            `purchase ${id} of ${spelling} is settled, and the gateway never charged it`,
          ),
        ),
    ],
  };
}

function isOf(row: BoughtRow, { url, licenseType, licenseCuid }: Charge): boolean {
  const isPage = row.spelling === url || identify(row.spelling) === url;
  return isPage && row.licenseType === licenseType && (row.licenseCuid ?? licenseCuid) === licenseCuid;
}

function isBookedAs({ charged, chargedCurrency }: BoughtRow, { micros, currency }: Charge): boolean {
  return charged === micros && chargedCurrency === currency;
}

/** The quote counts where a person said so, where the answer says nothing of the charge, and where what it says is listed. */
function isExcused({ charged, quoted, byHand, isFlagged }: BoughtRow, omitsRate: boolean): boolean {
  return byHand === 1 || ((omitsRate || isFlagged === 1) && charged === quoted);
}

/** By currency, to the micro: the balance for the budgets is what the gateway charged, except where the ledger says otherwise. */
function endSums({ exact, excused }: Pairs, { db }: Evidence): Violation[] {
  const own = new Map<string, number>();
  const count = (currency: string, micros: number) => own.set(currency, (own.get(currency) ?? 0) + micros);
  for (const { currency, micros } of exact) {
    count(currency, micros);
  }
  for (const { chargedCurrency, currency, charged } of excused) {
    count(chargedCurrency ?? currency, charged ?? 0);
  }
  const kept = db
    .prepare<[], { readonly currency: string; readonly micros: number }>(
      `SELECT b.currency, b.settled_micros - b.fee_micros
         - (SELECT coalesce(sum(u.charged_micros), 0) FROM use u WHERE u.state = 'settled' AND u.billed = 1 AND u.charged_currency = b.currency) AS micros
       FROM balance b WHERE b.scope = 'all' AND b.period = 'total'`,
    )
    .all();
  const account = new Map(kept.map(({ currency, micros }) => [currency, micros]));
  return [...new Set([...own.keys(), ...account.keys()])].flatMap((currency) => {
    const [taken, booked] = [own.get(currency) ?? 0, account.get(currency) ?? 0];
    const detail = `the gateway took ${taken} ${currency}, the balances say ${booked}`;
    return taken === booked ? [] : [broken("sums-agree", 1, detail)];
  });
}

/** Per page and license the gateway has accepted as many uses as the ledger calls reported; under spellings that it has sold. */
function endReports({ db, account }: Evidence): Violation[] {
  const due = new Map<string, number>();
  const count = (key: string, times: number) => due.set(key, (due.get(key) ?? 0) + times);
  const sold = new Map(account.tokens.map(({ url }) => [url, new Set<string>()]));
  for (const { url, spelling } of account.tokens) {
    sold.get(url)?.add(spelling);
  }
  const violations: Violation[] = [];
  for (const { uses } of account.reports.filter(({ outcome }) => outcome === "accepted")) {
    for (const { url, spelling, licenseType, licenseCuid, times } of uses) {
      count(`${url} ${licenseType} ${licenseCuid ?? ""}`, times);
      if (sold.get(url)?.has(spelling) === false) {
        violations.push(
          broken("reported-as-bought", 5, `${url} was reported as ${spelling}, which was never asked for`),
        );
      }
    }
  }
  for (const { url, licenseType, licenseCuid, times } of readReported(db)) {
    count(`${identify(url)} ${licenseType} ${licenseCuid ?? ""}`, -times);
  }
  const different = [...due].filter(([, times]) => times !== 0);
  return [
    ...violations,
    ...different.map(([key, times]) =>
      broken("reports-equal-uses", 5, `${key}: the gateway counted ${times} uses more than the ledger calls reported`),
    ),
  ];
}

function readReported(db: Database.Database) {
  return db
    .prepare<
      [],
      {
        readonly url: string;
        readonly licenseType: string;
        readonly licenseCuid: string | null;
        readonly times: number;
      }
    >(
      `SELECT g.url, l.license_type AS licenseType, l.cuid AS licenseCuid, sum(u.times) AS times
       FROM use u JOIN page g ON g.id = u.page_id JOIN license l ON l.id = u.license_id WHERE u.state = 'settled' GROUP BY 1, 2, 3`,
    )
    .all();
}

/** No token was asked for but of a purchase, at its quoted price, under its license, by its spelling; also none that was never used. */
function endTokens(bought: readonly BoughtRow[], { account, db }: Evidence): Violation[] {
  const terms = new Set(
    bought.map(({ spelling, licenseType, licenseCuid, quoted, currency }) =>
      JSON.stringify([spelling, licenseType, licenseCuid, quoted, currency]),
    ),
  );
  const indexed = new Set(db.prepare<[], string>("SELECT url FROM purchase WHERE intent = 'indexing'").pluck().all());
  return account.tokens
    .filter(({ kind, spelling, licenseType, licenseCuid, capMicros, currency }) =>
      kind === "indexing"
        ? !indexed.has(spelling)
        : !terms.has(JSON.stringify([spelling, licenseType, licenseCuid, capMicros, currency])),
    )
    .map(({ spelling, capMicros, currency }) =>
      broken("token-of-a-purchase", 2, `a token for ${spelling} at ${capMicros} ${currency} is of no purchase`),
    );
}

/** Content is asked for by the spelling that its token was issued for. */
function endRequests({ account }: Evidence): Violation[] {
  const spellings = new Map(account.tokens.map(({ token, spelling }) => [token, spelling]));
  return account.contentRequests
    .filter(({ token, spelling }) => spellings.has(token) && spellings.get(token) !== spelling)
    .map(({ token, spelling }) =>
      broken("asked-as-issued", 3, `content was asked for as ${spelling} with a token for ${spellings.get(token)}`),
    );
}

/**
 * The same bytes of a page are not sold twice, except where content was lost on the way (in doubt, or resolved by a person), where a
 * list named a page whose catalog gave it a later date afterwards, or where the site is bought again whatever its dates say.
 */
function endVersions(bought: readonly BoughtRow[], { account, settings }: Evidence): Violation[] {
  const again = new Set(
    settings.flatMap(({ sites }) => sites.filter(({ refresh }) => refresh === "always").map(({ host }) => host)),
  );
  const sold = new Map<string, Charge[]>();
  for (const charge of account.charges) {
    const host = new URL(charge.url).host;
    const isCounted = !again.has(host) && account.traits.sites[host]?.datesOfRequest !== true && charge.body !== "";
    const key = `${charge.url} ${charge.body}`;
    sold.set(key, [...(sold.get(key) ?? []), ...(isCounted ? [charge] : [])]);
  }
  return [...sold.values()].flatMap((charges) => {
    const [first] = charges;
    // One extra where the text changed after its page was listed: the next listing has a date that the first bought text has not.
    const late = /Version (?!1\b)/.test(first?.body ?? "") ? 1 : 0;
    const excused = bought.filter(
      (row) =>
        charges.some((charge) => isOf(row, charge)) &&
        (row.state === "in_doubt" ||
          row.byHand === 1 ||
          row.cameLate === 1 ||
          row.isDatedLate === 1 ||
          (row.state === "released" && row.quoted === 0)),
    );
    return first === undefined || charges.length <= 1 + late + excused.length
      ? []
      : [broken("sold-once", 3, `the same text of ${first.url} was sold ${charges.length} times`)];
  });
}

function broken(rule: string, promise: Violation["promise"], detail: string): Violation {
  return { promise, rule, detail };
}

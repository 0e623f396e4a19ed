/** Each rule of the outside view, with something that breaks it after the last commit. */
import { identify } from "../gateway/spellings.ts";
import { urlOf } from "./checked-world.ts";
import type { EndBreak } from "./end-breaks.ts";

/** Another spelling of the same page. */
const RESPELLED = urlOf(1).replace("news.example", "news.example:443");

export const OUTSIDE_BREAKS: readonly EndBreak[] = [
  {
    rule: "charges-are-in-ledger",
    what: "a charge that is released",
    damage: "UPDATE purchase SET state = 'released', reason = 'content_refused', charged_micros = NULL WHERE id = 4",
  },
  {
    rule: "charges-are-in-ledger",
    what: "a charge booked smaller by one micro",
    damage: "UPDATE purchase SET charged_micros = charged_micros - 1 WHERE id = 4",
  },
  {
    rule: "charges-are-in-ledger",
    what: "a page that was charged twice and settled once",
    damage: ({ account }) => account.charges.push(...account.charges.slice(-1)),
  },
  {
    rule: "ledger-is-in-account",
    what: "a settlement that the gateway knows nothing of",
    damage: ({ account }) => account.charges.shift(),
  },
  {
    rule: "sums-agree",
    what: "a balance that is not what was taken",
    damage: "UPDATE balance SET settled_micros = settled_micros + 1 WHERE scope = 'all' AND period = 'total'",
  },
  {
    rule: "reports-equal-uses",
    what: "uses that arrived under two ids",
    damage: ({ account }) => account.reports.push(...account.reports.slice(-1)),
  },
  {
    rule: "reports-equal-uses",
    what: "a use that is called reported and is not",
    damage: ({ account }) => account.reports.pop(),
  },
  {
    rule: "reported-as-bought",
    what: "uses reported under another spelling than the page was bought by",
    damage: ({ account }) => {
      account.reports = account.reports.map((report) => ({
        ...report,
        uses: report.uses.map((use) => (identify(RESPELLED) === use.url ? { ...use, spelling: RESPELLED } : use)),
      }));
    },
  },
  {
    rule: "token-of-a-purchase",
    what: "a token at another price than was quoted",
    damage: "UPDATE purchase SET quoted_micros = quoted_micros + 1 WHERE id = 1",
  },
  {
    rule: "token-of-a-purchase",
    what: "a token of a page that nobody decided to buy, although it was never used",
    damage: ({ account }) => {
      account.tokens = account.tokens.concat(
        account.tokens.slice(-1).map((token) => ({ ...token, token: "unused", spelling: RESPELLED, usedAt: null })),
      );
    },
  },
  {
    rule: "asked-as-issued",
    what: "a request by another spelling than its token's",
    damage: ({ account }) => {
      account.contentRequests = account.contentRequests.map((request) =>
        request.url === urlOf(1) ? { ...request, spelling: RESPELLED } : request,
      );
    },
  },
  {
    rule: "sold-once",
    what: "the same text bought twice, with nothing lost",
    damage: ({ account, evidence }) => {
      account.charges.push(...account.charges.filter(({ url }) => url === urlOf(1)));
      evidence.settings = evidence.settings.map((set) => ({
        ...set,
        sites: set.sites.map((site) => ({ ...site, refresh: "modified" as const })),
      }));
    },
  },
];

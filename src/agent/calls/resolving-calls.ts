/** The calls by which a person says what came of something that licet cannot know. */
import {
  type Checks,
  checkOptions,
  isCount,
  isFlag,
  isNullOr,
  isObject,
  isText,
  misused,
  show,
} from "../../check-options.ts";
import { toMicros } from "../../money/micros.ts";
import { type MoneyInput, money } from "../../money/money-input.ts";
import { resolveInvoiceAgent } from "../invoice-agent.ts";
import type { CheckedDoubtWord, CheckedInvoiceLine, DoubtWord, InvoiceLine } from "../reports/doubt-word.ts";
import { resolveRunAgent } from "../resolve-agent.ts";
import { call, count, flag, isList, options, type Take, text } from "./call.ts";
import { isMoney } from "./value-checks.ts";

/** The answer of a person about purchases in doubt must say whether they were charged. */
const takeDoubtWord: Take<CheckedDoubtWord> = (name, word) => {
  const checks: Checks<DoubtWord> = { charged: isFlag, keepOff: isFlag };
  const { charged, keepOff = false } = checkOptions<Partial<DoubtWord>>(name, word, checks);
  return { keepOff, charged: flag("charged")(name, charged) };
};

const INVOICE_EXAMPLE = 'agent.resolveInvoice([{ url: "https://…", amount: "0.02 USD" }], { charged: true })';
const takeInvoiceLine = options<InvoiceLine>({
  line: isCount,
  purchaseId: isNullOr(isCount),
  url: isNullOr(isText),
  // The currency may be missing, so any currency is put in its place.
  amount: isNullOr((value) =>
    isObject(value) && value.currency === null ? isMoney({ ...value, currency: "USD" }) : isMoney(value),
  ),
});

/** @returns the lines, complete; each line is checked when it is read */
export const takeInvoiceLines: Take<AsyncIterable<CheckedInvoiceLine>> = (name, lines) => {
  if (!isList(lines)) {
    throw misused(name, `the lines must be a list, not ${show(lines)}`, INVOICE_EXAMPLE);
  }
  return (async function* checked() {
    let place = 0;
    for await (const given of lines) {
      place++;
      const { line = place, purchaseId = null, url = null, amount = null } = takeInvoiceLine(name, given);
      if (purchaseId === null && url === null) {
        throw misused(name, "a line must have a purchaseId or a url", INVOICE_EXAMPLE);
      }
      yield { line, purchaseId, url, amount: amount === null ? null : toInvoiceAmount(amount) };
    }
  })();
};

/** An amount without a currency is in the currency of the quote. */
function toInvoiceAmount(amount: NonNullable<InvoiceLine["amount"]>): NonNullable<CheckedInvoiceLine["amount"]> {
  if (typeof amount === "string" || amount.currency !== null) {
    return money(amount as MoneyInput);
  }
  return { micros: toMicros(amount.micros), currency: null };
}

export const RESOLVING_CALLS = {
  resolve: call(
    [count("purchaseId"), flag("charged"), options<{ readonly keepOff?: boolean }>({ keepOff: isFlag })],
    async ({ resources }, purchaseId, charged, { keepOff = false }) => {
      const ledger = await resources.ledger("existing");
      return ledger.resolvePurchase({ purchaseId, charged, keepOff, now: resources.clock.now() });
    },
  ),
  resolveRun: call([text("runId"), takeDoubtWord], ({ resources }, runId, word) =>
    resolveRunAgent(resources, runId, word),
  ),
  resolveInvoice: call([takeInvoiceLines, takeDoubtWord], ({ resources }, lines, word) =>
    resolveInvoiceAgent(resources, lines, word),
  ),
  resolveReport: call([count("batchId"), flag("taken")], async ({ resources }, reportId, taken) => {
    const ledger = await resources.ledger("existing");
    return ledger.resolveReport({ reportId, taken, now: resources.clock.now() });
  }),
  closeItem: call([count("itemId")], async ({ resources }, itemId) => {
    const ledger = await resources.ledger("existing");
    return ledger.closeItem({ itemId, now: resources.clock.now() });
  }),
};

/** The calls by which a person says what came of something that licet cannot know. */
import { isNullOr, isObject, misused, show } from "../../check-options.ts";
import { toMicros } from "../../money/micros.ts";
import { type MoneyInput, money } from "../../money/money-input.ts";
import { toActedBy } from "../acts/acted-by.ts";
import { acknowledgeAlertAgent } from "../alerts/raised-alerts-agent.ts";
import { pauseSiteAgent, unpauseSiteAgent } from "../pauses/pause-agent.ts";
import type { CheckedDoubtWord, CheckedInvoiceLine, DoubtWord, InvoiceLine } from "../resolve/doubt-word.ts";
import { resolveInvoiceAgent } from "../resolve/invoice-agent.ts";
import { resolveRunAgent } from "../resolve/resolve-agent.ts";
import { acts, argument, fields, isList, options, type Take, withResources } from "./call.ts";
import { amount, count, flag, host, ofProgram, runId, text } from "./fields.ts";

const chargedArgument = argument<boolean>("charged", flag);

const takeWordOptions = options("resolveRun");

/** The answer of a person about purchases in doubt must say whether they were charged. */
const takeDoubtWord: Take<CheckedDoubtWord> = (name, word) => {
  const { charged, keepOff = false, by, reason } = takeWordOptions(name, word ?? null) as Partial<DoubtWord>;
  return { keepOff, charged: chargedArgument(name, charged), by, reason };
};

const INVOICE_EXAMPLE = 'agent.resolveInvoice([{ url: "https://…", amount: "0.02 USD" }], { charged: true })';
const takeInvoiceLine = fields<InvoiceLine>({
  line: count,
  purchaseId: ofProgram(isNullOr(count.check)),
  url: ofProgram(isNullOr(text.check)),
  amount: ofProgram(
    // The currency may be missing, so any currency is put in its place.
    isNullOr((value) =>
      amount.check(isObject(value) && value.currency === null ? { ...value, currency: "USD" } : value),
    ),
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
  resolve: acts(
    [argument<number>("purchaseId", count), chargedArgument, options("resolve")],
    async ({ resources }, purchaseId, charged, { keepOff = false, ...acting }) => {
      const ledger = await resources.ledger("existing");
      const who = toActedBy(resources, acting);
      return ledger.resolvePurchase({ purchaseId, charged, keepOff, who, now: resources.clock.now() });
    },
  ),
  resolveRun: acts([argument<string>("runId", runId), takeDoubtWord], withResources(resolveRunAgent)),
  resolveInvoice: acts([takeInvoiceLines, takeDoubtWord], withResources(resolveInvoiceAgent)),
  resolveReport: acts(
    [argument<number>("batchId", count), argument<boolean>("taken", flag), options("resolveReport")],
    async ({ resources }, reportId, taken, acting) => {
      const ledger = await resources.ledger("existing");
      const who = toActedBy(resources, acting);
      return ledger.resolveReport({ reportId, taken, who, now: resources.clock.now() });
    },
  ),
  closeItem: acts([argument<number>("itemId", count), options("closeItem")], async ({ resources }, itemId, acting) => {
    const ledger = await resources.ledger("existing");
    return ledger.closeItem({ itemId, who: toActedBy(resources, acting), now: resources.clock.now() });
  }),
  acknowledgeAlert: acts(
    [argument<number>("alertId", count), options("acknowledgeAlert")],
    withResources(acknowledgeAlertAgent),
  ),
  pauseSite: acts([argument<string>("host", host), options("pauseSite")], withResources(pauseSiteAgent)),
  unpauseSite: acts([argument<string>("host", host), options("unpauseSite")], withResources(unpauseSiteAgent)),
};

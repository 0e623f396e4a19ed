/** What every implementation of the ledger port does. Called by the test file of each. */
import type { Ledger } from "../../src/ledger/ledger.ts";
import { describeActs } from "./ledger-acts-contract.ts";
import { describeAlerts } from "./ledger-alerts-contract.ts";
import { describeBeginnings } from "./ledger-begin-contract.ts";
import { describeBooks } from "./ledger-book-contract.ts";
import { describeCandidates } from "./ledger-candidates-contract.ts";
import { describeCatalogDates } from "./ledger-catalog-dates-contract.ts";
import { describeClock } from "./ledger-clock-contract.ts";
import { describeCurrencies } from "./ledger-currencies-contract.ts";
import { describeCursors } from "./ledger-cursors-contract.ts";
import { describeDecisions } from "./ledger-decide-contract.ts";
import { describeDenials } from "./ledger-denials-contract.ts";
import { describeEvidence } from "./ledger-evidence-contract.ts";
import { describeFigures } from "./ledger-figures-contract.ts";
import { describeFreeing } from "./ledger-free-contract.ts";
import { describeFrontier } from "./ledger-frontier-contract.ts";
import { describeRecordedHints } from "./ledger-hints-contract.ts";
import { describeLeases } from "./ledger-lease-contract.ts";
import { describeLists } from "./ledger-list-contract.ts";
import { describePauses } from "./ledger-pauses-contract.ts";
import { describePlans } from "./ledger-plan-contract.ts";
import { describePurchases } from "./ledger-purchase-contract.ts";
import { describeResuming } from "./ledger-resume-contract.ts";
import { describeRights } from "./ledger-rights-contract.ts";
import { describeRuns } from "./ledger-run-contract.ts";
import { describeSchedules } from "./ledger-schedule-contract.ts";
import { describeService } from "./ledger-service-contract.ts";
import { describeStops } from "./ledger-stops-contract.ts";
import { describeSuccessors } from "./ledger-successors-contract.ts";
import { describeWalkGuards } from "./ledger-walk-guards-contract.ts";
import { describeWebhookRuns } from "./ledger-webhook-run-contract.ts";

/** Opens an empty ledger that is closed when the test has finished. */
export type OpenLedger = () => Promise<Ledger>;

export function describeLedgerContract(open: OpenLedger): void {
  describeRuns(open);
  describeClock(open);
  describeBeginnings(open);
  describeSuccessors(open);
  describeResuming(open);
  describeFreeing(open);
  describeLeases(open);
  describeFrontier(open);
  describeCatalogDates(open);
  describeCursors(open);
  describeDecisions(open);
  describeBooks(open);
  describeCurrencies(open);
  describeCandidates(open);
  describeDenials(open);
  describeWalkGuards(open);
  describePurchases(open);
  describeStops(open);
  describePauses(open);
  describeService(open);
  describeRecordedHints(open);
  describeRights(open);
  describeSchedules(open);
  describeActs(open);
  describeAlerts(open);
  describeEvidence(open);
  describeFigures(open);
  describeWebhookRuns(open);
  describeLists(open);
  describePlans(open);
}

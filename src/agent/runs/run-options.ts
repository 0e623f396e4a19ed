import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import type { MoneyInput } from "../../money/money-input.ts";
import type { RunOrder } from "../../policy/rule.ts";
import type { ActingOptions } from "../acts/acted-by.ts";
import type { ListInput } from "../lists/list-input.ts";

/** What a run covers, and where it ends. */
export interface RunOptions extends ActingOptions {
  /** Only these sites; default: all configured sites. @throws LicetError USAGE_INVALID for a site that is not configured */
  readonly hosts?: readonly string[] | undefined;
  /**
   * Resumes an earlier run: its id, or `newest`. Without this option, an interrupted run of the same sites is resumed
   * automatically.
   */
  readonly resume?: string | undefined;
  /** Begins a new run even when an interrupted run of the same sites could be resumed. @default false */
  readonly fresh?: boolean | undefined;
  /**
   * What to do while another process works on a run of one of these sites: return the report of that run with `skipped`, and
   * throw no error.
   * @default false
   */
  readonly skipIfRunning?: boolean | undefined;
  /**
   * Says that the clock is right, although it is before the newest rows of the ledger: it was ahead when they were written. Without this,
   * such a run is refused when it would buy under the budget of an earlier period. @throws LicetError CLOCK_BEHIND
   * @default false
   */
  readonly trustClock?: boolean | undefined;
  /**
   * Buys the pages of a list instead of walking catalogs: `{ file: "pages.jsonl" }` (JSON lines, URLs or CSV), or the pages themselves in an array, a
   * generator or any other (async) iterable of texts and objects (`{ url, maxPrice?, value?, key? }`). Lines that name no page to buy are counted in the report
   * and left out. The list is read as it is needed, and its iterator is closed when the run ends.
   *
   * An interrupted run of the same file goes on behind the lines that it has read; `fresh` begins a new one. What a limit of its own ended is
   * over: the same file begins a new run with what is left (`list.goesOnFrom` of the report). The run of a program's own list
   * goes on with `resume` and the list again, from its first page. @throws LicetError LIST_UNREADABLE, LIST_CHANGED
   */
  readonly list?: ListInput | undefined;
  /**
   * Buys from the plan in this file (`plan({ out })`) and nothing else: no page that it does not name, under its license, for at most its price
   * with fees. Policies, budgets and stored pages count as they are now. A page is bought once, however often the plan is applied. What no longer
   * fits is in the report (`plan`). An interrupted run of the same plan goes on. @throws LicetError PLAN_REFUSED with what differs
   */
  readonly plan?: string | undefined;
  /**
   * Buys from the plan only if its file still says what was approved: `content` of `planDetails`. @default whatever it says
   * @throws LicetError PLAN_REFUSED
   */
  readonly planContent?: string | undefined;
  /**
   * Ends the run before it reserves or spends more than this since it began, also before it was resumed: `"5 USD"`, or
   * `{ micros: 5_000_000, currency: "USD" }`. @throws LicetError USAGE_INVALID when no budget is in its currency
   */
  readonly maxSpend?: MoneyInput | undefined;
  /**
   * What is bought first: the pages as the catalog lists them, the newest, the cheapest, or the most value for the price. Other than `catalog`,
   * all pages are quoted before the first one is bought. @default that of the run that goes on, or of the configuration, `run.order`
   */
  readonly order?: RunOrder | undefined;
  /** Ends the run after this many approved pages since it began. */
  readonly maxPages?: number | undefined;
  /**
   * Takes each document that the run buys, after it was stored. licet waits for the promise: while `onDocumentConcurrency` calls are
   * unfinished, documents wait for their turn, and at most four times as many pages are under way, so a slow call slows the buying down.
   * `run()` returns after the last call.
   *
   * Each document is given at most once, in no fixed order. When a call fails, no further document is given, nothing more is bought, and
   * `run()` throws DOCUMENT_NOT_TAKEN. When the process ends, a stored document may not have been given. No run gives it again:
   * `agent.documents({ run })` returns all that a run bought. Save `purchaseId` with each document to know what is missing.
   *
   * licet waits without a limit: give slow work a timeout. Never wait for `agent.close()` or another `run()` in a call.
   */
  readonly onDocument?: ((document: StoredDocument) => unknown) | undefined;
  /** The most calls of `onDocument` at once, 1 to 1024. @default 16 */
  readonly onDocumentConcurrency?: number | undefined;
  /**
   * Stops the run when it aborts: started purchases are finished, the rest stays for `resume`. Who stopped it is kept: the system's user, or
   * whom the reason of the abort names, `controller.abort({ by: "anna", reason: "the budget of May" })`.
   */
  readonly signal?: AbortSignal | undefined;
}

import type { Account } from "./account.ts";
import type { ContentCache } from "./content-cache.ts";
import type { FaultInjector } from "./faults.ts";
import type { GatewayNames } from "./gateway-names.ts";
import type { SandboxLimits } from "./options.ts";
import type { SiteIndex } from "./pages/site-index.ts";
import type { RateBook } from "./pricing/rate-book.ts";
import type { ReportLog } from "./report-log.ts";
import type { RequestCounts } from "./request-counts.ts";
import type { SandboxClock } from "./sandbox-clock.ts";
import type { TokenIssuer } from "./tokens.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

/** Everything that an endpoint may look at or change. */
export interface SandboxState {
  readonly names: GatewayNames;
  readonly limits: SandboxLimits;
  readonly clock: SandboxClock;
  readonly siteIndex: SiteIndex;
  readonly rateBook: RateBook;
  readonly tokens: TokenIssuer;
  readonly account: Account;
  readonly reports: ReportLog;
  readonly cache: ContentCache;
  readonly faults: FaultInjector;
  readonly webhooks: Webhooks;
  readonly counts: RequestCounts;
}

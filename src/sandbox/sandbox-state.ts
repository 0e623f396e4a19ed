import type { Account } from "./books/account.ts";
import type { ReportLog } from "./books/report-log.ts";
import type { FaultInjector } from "./faults/faults.ts";
import type { RequestCounts } from "./http/request-counts.ts";
import type { SandboxLimits } from "./options.ts";
import type { ContentCache } from "./pages/content-cache.ts";
import type { SiteIndex } from "./pages/site-index.ts";
import type { RateBook } from "./pricing/rate-book.ts";
import type { GatewayNames } from "./profile/gateway-names.ts";
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

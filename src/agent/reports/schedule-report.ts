/** What `agent.schedule` takes and returns. */

import type { SlotRecord } from "../../ledger/schedule-ledger.ts";
import type { KnownService } from "../../ledger/service-ledger.ts";

/** Which schedules are listed, and how many of their slots. */
export interface ScheduleFilter {
  /** Only the schedule of this site: its host. */
  readonly site?: string | undefined;
  /** At most so many next slots, and so many past ones, of each schedule. @default 5 */
  readonly limit?: number | undefined;
}

/** A schedule of the configuration with its slots. Instants are epoch ms. */
export interface ScheduleStatus {
  /** `site:<host>`, or `report` for the reports by the clock. */
  readonly schedule: string;
  /** Null for `report`. */
  readonly host: string | null;
  /** The cron expression and its time zone. Null for `report`. */
  readonly cron: string | null;
  readonly timeZone: string | null;
  /** The interval of `report`. Null for a site. */
  readonly everyMs: number | null;
  /** What happens to slots that come while no service is running. */
  readonly misfire: "once" | "skip";
  /** The next slots, the first one first. */
  readonly next: readonly number[];
  /** The last slots with what came of them, the newest first. */
  readonly slots: readonly SlotRecord[];
}

/** `schedule --json` */
export interface ScheduleReport {
  /** The newest service of this ledger, at work or not. Null: there was none. Without a service, no slot runs. */
  readonly service: KnownService | null;
  /** In the order of the configuration, the reports by the clock last. */
  readonly schedules: readonly ScheduleStatus[];
}

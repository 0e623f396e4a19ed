/** `agent.schedule`: the slots of the schedules, from the configuration and the ledger. It needs no service. */
import type { SlotRecord } from "../../ledger/schedule-ledger.ts";
import type { KnownService } from "../../ledger/service-ledger.ts";
import { nextSlots } from "../../schedule/slot.ts";
import { chooseSites } from "../calls/call-settings.ts";
import { type Resources, withLedgerOrEmpty } from "../compose.ts";
import { readService } from "../known-service.ts";
import { listSchedules, scheduleOfSite } from "./configured-schedules.ts";

const DEFAULT_SLOTS = 5;
/** More next slots of one schedule are not computed: a schedule of seconds has any number of them. */
const MAX_NEXT_SLOTS = 1_000;

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

/** @throws LicetError USAGE_INVALID for a site that is not configured, LEDGER_* */
export async function scheduleAgent(
  resources: Resources,
  { site, limit = DEFAULT_SLOTS }: ScheduleFilter,
): Promise<ScheduleReport> {
  const { config, clock } = resources;
  const only = site === undefined ? null : chooseSites(config, [site]).map(({ host }) => scheduleOfSite(host));
  const now = clock.now();
  const chosen = listSchedules(config).filter(({ name }) => only === null || only.includes(name));
  return withLedgerOrEmpty(resources, "read", async (ledger) => {
    const schedules = chosen.map(async ({ name, host, timing, misfire, times }) => ({
      schedule: name,
      host,
      cron: timing.kind === "cron" ? timing.cron : null,
      timeZone: timing.kind === "cron" ? timing.timeZone : null,
      everyMs: timing.kind === "every" ? timing.everyMs : null,
      misfire,
      next: nextSlots(times, now, Math.min(limit, MAX_NEXT_SLOTS)),
      slots: await ledger.readSlots({ schedule: name, limit }),
    }));
    return { service: await readService(resources, ledger), schedules: await Promise.all(schedules) };
  });
}

/** The schedules of a configuration: one for each site that has one, and the reports by the clock. */
import type { Config, SiteConfig } from "../../config/config.ts";
import type { Timing } from "../../queue/schedule-queue.ts";
import type { Misfire } from "../../schedule/misfire.ts";
import { createCronSlots, createIntervalSlots, type SlotTimes } from "../../schedule/slot.ts";

/** The schedule of the reports by the clock. */
export const REPORT_SCHEDULE = "report";

export interface ConfiguredSchedule {
  /** `site:<host>` or `report`: its id everywhere. */
  readonly name: string;
  /** The site that it crawls. Null: it reports uses. */
  readonly host: string | null;
  readonly timing: Timing;
  /** The timing as the ledger compares it: another text is another schedule. */
  readonly timingText: string;
  readonly misfire: Misfire;
  readonly times: SlotTimes;
}

/** In the order of the configuration, `report` last. */
export function listSchedules({ sites, reporting }: Config): readonly ConfiguredSchedule[] {
  return [...sites.flatMap(toSiteSchedule), toReportSchedule(reporting.everyMs)];
}

export function scheduleOfSite(host: string): string {
  return `site:${host}`;
}

function toSiteSchedule({ host, schedule }: SiteConfig): ConfiguredSchedule[] {
  if (schedule === null) {
    return [];
  }
  const { cron, timeZone, misfire } = schedule;
  return [
    {
      name: scheduleOfSite(host),
      host,
      timing: { kind: "cron", cron, timeZone },
      timingText: `${cron} ${timeZone}`,
      misfire,
      times: createCronSlots(cron, timeZone),
    },
  ];
}

function toReportSchedule(everyMs: number): ConfiguredSchedule {
  return {
    name: REPORT_SCHEDULE,
    host: null,
    timing: { kind: "every", everyMs },
    timingText: `every ${everyMs}`,
    // One report sends everything that waits.
    misfire: "once",
    times: createIntervalSlots(everyMs),
  };
}

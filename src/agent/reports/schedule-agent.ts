/** `agent.schedule`: the slots of the schedules, from the configuration and the ledger. It needs no service. */
import { isLicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { nextSlots } from "../../schedule/slot.ts";
import { chooseSites } from "../calls/call-settings.ts";
import type { Resources } from "../compose.ts";
import { readService } from "../known-service.ts";
import { listSchedules, scheduleOfSite } from "./configured-schedules.ts";
import type { ScheduleFilter, ScheduleReport } from "./schedule-report.ts";

const DEFAULT_SLOTS = 5;
/** More next slots of one schedule are not computed: a schedule of seconds has any number of them. */
const MAX_NEXT_SLOTS = 1_000;

/** @throws LicetError USAGE_INVALID for a site that is not configured, LEDGER_* */
export async function scheduleAgent(
  resources: Resources,
  { site, limit = DEFAULT_SLOTS }: ScheduleFilter,
): Promise<ScheduleReport> {
  const { config, clock } = resources;
  const only = site === undefined ? null : chooseSites(config, [site]).map(({ host }) => scheduleOfSite(host));
  const ledger = await findLedger(resources);
  const now = clock.now();
  const chosen = listSchedules(config).filter(({ name }) => only === null || only.includes(name));
  const schedules = chosen.map(async ({ name, host, timing, misfire, times }) => ({
    schedule: name,
    host,
    cron: timing.kind === "cron" ? timing.cron : null,
    timeZone: timing.kind === "cron" ? timing.timeZone : null,
    everyMs: timing.kind === "every" ? timing.everyMs : null,
    misfire,
    next: nextSlots(times, now, Math.min(limit, MAX_NEXT_SLOTS)),
    slots: ledger === null ? [] : await ledger.readSlots({ schedule: name, limit }),
  }));
  return {
    service: ledger === null ? null : await readService(resources, ledger),
    schedules: await Promise.all(schedules),
  };
}

/** Null: there is no ledger yet, so nothing has come of any slot. */
async function findLedger({ config, ledger }: Resources): Promise<Ledger | null> {
  try {
    return await ledger("read");
  } catch (error) {
    if (isLicetError(error, "LEDGER_MISSING") && !config.ledger.mustExist) {
      return null;
    }
    throw error;
  }
}

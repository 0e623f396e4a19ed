/**
 * Slots that were recorded by a clock that was ahead, for some seconds or for a day: this machine's, or that of another service. What was missed or refused then is
 * taken back, so that these slots run when they come. A slot that ran keeps its row and does not run again.
 */
import type { ConfiguredSchedule } from "../../agent/reports/configured-schedules.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { MissedRow } from "../../ledger/schedule-ledger.ts";
import { MAX_COUNTED_SLOTS } from "../../schedule/misfire.ts";
import { countSlots, latestSlot, type SlotTimes } from "../../schedule/slot.ts";
import type { ServiceLog } from "../log/service-log.ts";

/** @throws LicetError LEDGER_* */
export async function takeBackSlotsAhead(
  ledger: Ledger,
  { name, times }: Pick<ConfiguredSchedule, "name" | "times">,
  { now, log }: { readonly now: number; readonly log: ServiceLog },
): Promise<void> {
  const { rows, latestAt, straddling } = await ledger.readSlotsAhead({ schedule: name, now });
  if (latestAt === null) {
    return;
  }
  const came = straddling.flatMap((row) => cutAtNow(times, row, now));
  const takenBack = await ledger.takeBackSlotsAhead({ schedule: name, now, came });
  const until = new Date(latestAt).toISOString();
  const message = `${name}: the clock was ahead when slots until ${until} were recorded (${rows} rows); ${takenBack} rows of slots that began nothing are taken back, and the schedule goes on`;
  log[takenBack > 0 ? "warn" : "debug"](message, { schedule: name, rows, takenBack });
}

function cutAtNow(times: SlotTimes, { firstAt }: MissedRow, now: number): MissedRow[] {
  const slotAt = latestSlot(times, firstAt - 1, now);
  return slotAt === null ? [] : [{ firstAt, slotAt, slots: countSlots(times, firstAt - 1, slotAt, MAX_COUNTED_SLOTS) }];
}

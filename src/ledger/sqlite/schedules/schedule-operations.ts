import type { ScheduleLedger } from "../../schedule-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createReadOwedAfter, createSetSchedules } from "./schedules.ts";
import {
  createClaimSlot,
  createEndSlot,
  createListOpenSlots,
  createMissSlots,
  createStartSlot,
  createTakeSlot,
  createTrimSlots,
} from "./slots.ts";
import { createReadSlotsAhead, createTakeBackSlotsAhead } from "./slots-ahead.ts";

export function createScheduleOperations(core: LedgerCore): ScheduleLedger {
  return {
    setSchedules: createSetSchedules(core),
    readOwedAfter: createReadOwedAfter(core),
    claimSlot: createClaimSlot(core),
    missSlots: createMissSlots(core),
    readSlotsAhead: createReadSlotsAhead(core),
    takeBackSlotsAhead: createTakeBackSlotsAhead(core),
    takeSlot: createTakeSlot(core),
    startSlot: createStartSlot(core),
    endSlot: createEndSlot(core),
    listOpenSlots: createListOpenSlots(core),
    trimSlots: createTrimSlots(core),
  };
}

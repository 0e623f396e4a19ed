import { z } from "zod";
import type { ScheduleReport, ScheduleStatus } from "../../../agent/reports/schedule-report.ts";
import { SLOT_STATES } from "../../../ledger/schedule-ledger.ts";
import { MISFIRES } from "../../../schedule/misfire.ts";
import { knownServiceSchema } from "./known-service-schema.ts";
import { countSchema, instantSchema } from "./money-schema.ts";
import { RUN_OUTCOME, runIdSchema, runStateSchema } from "./run-schema.ts";

const slotSchema: z.ZodType<ScheduleStatus["slots"][number]> = z
  .object({
    schedule: z.string(),
    slotAt: instantSchema,
    state: z.enum(SLOT_STATES),
    detail: z.string().nullable(),
    firstAt: instantSchema,
    slots: countSchema.describe("How many slots this stands for. More than one only for missed slots."),
    claimedAt: instantSchema,
    endedAt: instantSchema.nullable(),
    run: z
      .object({
        runId: runIdSchema,
        state: runStateSchema,
        ...RUN_OUTCOME,
      })
      .nullable(),
  })
  .meta({ id: "Slot" });

const scheduleStatusSchema: z.ZodType<ScheduleStatus> = z
  .object({
    schedule: z.string().describe("`site:<host>`, or `report`."),
    host: z.string().nullable(),
    cron: z.string().nullable(),
    timeZone: z.string().nullable(),
    everyMs: z.int().nullable(),
    misfire: z.enum(MISFIRES),
    next: z.array(instantSchema),
    slots: z.array(slotSchema).describe("The last slots, the newest first."),
  })
  .meta({ id: "Schedule" });

export const scheduleReportSchema: z.ZodType<ScheduleReport> = z
  .object({ service: knownServiceSchema.nullable(), schedules: z.array(scheduleStatusSchema) })
  .meta({ id: "ScheduleReport" });

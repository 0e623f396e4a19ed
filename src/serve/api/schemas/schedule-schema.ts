import { z } from "zod";
import type { ScheduleReport, ScheduleStatus } from "../../../agent/reports/schedule-report.ts";
import { SLOT_STATES } from "../../../ledger/schedule-ledger.ts";
import type { KnownService } from "../../../ledger/service-ledger.ts";
import { MISFIRES } from "../../../schedule/misfire.ts";
import { byCurrency, countSchema, instantSchema, spendSchema } from "./money-schema.ts";
import { runStateSchema } from "./run-schema.ts";

const serviceSchema: z.ZodType<KnownService> = z
  .object({
    process: z.string(),
    url: z.string().nullable(),
    startedAt: instantSchema,
    expiresAt: instantSchema.nullable(),
    isAlive: z.boolean(),
  })
  .meta({ id: "Service" });

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
        runId: z.string(),
        state: runStateSchema,
        pagesAcquired: countSchema,
        pagesInDoubt: countSchema,
        spend: byCurrency(spendSchema),
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
  .object({ service: serviceSchema.nullable(), schedules: z.array(scheduleStatusSchema) })
  .meta({ id: "ScheduleReport" });

import { z } from "zod";
import type { LeaseJob, Stage } from "./queue.ts";

/** The lease ids of licet are short. A longer one is not from licet. */
const LEASE_ID_MAX_CHARS = 200;

/** The data of a job in Redis: its lease id (none for a report), and nothing else (no URL, token, key or content). */
const leasedSchema = z.object({ leaseId: z.string().min(1).max(LEASE_ID_MAX_CHARS) });
const reportSchema = z.object({ leaseId: z.null() });

export type JobData = Pick<LeaseJob, "leaseId">;

/** The job from a stage's queue, or null for data that is not from licet, because others may use the same Redis. */
export function parseJobData(stage: Stage, data: unknown): LeaseJob | null {
  if (stage === "report") {
    return reportSchema.safeParse(data).success ? { stage, leaseId: null } : null;
  }
  const parsed = leasedSchema.safeParse(data);
  return parsed.success ? { stage, leaseId: parsed.data.leaseId } : null;
}

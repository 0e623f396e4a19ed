import { z } from "zod";
import type { LeaseJob, Stage } from "./queue.ts";

/** Lease ids are short; what is longer was not written by licet. */
const LEASE_ID_MAX_CHARS = 200;

/** What a job holds in Redis or PostgreSQL: its lease id, which a report has not, and nothing else (no URL, token, key or content). */
const leasedSchema = z.object({ leaseId: z.string().min(1).max(LEASE_ID_MAX_CHARS) });
const reportSchema = z.object({ leaseId: z.null() });

export type JobData = Pick<LeaseJob, "leaseId">;

/** The job that was taken from a stage's queue, or null for what licet did not write: Redis is shared with others. */
export function parseJobData(stage: Stage, data: unknown): LeaseJob | null {
  if (stage === "report") {
    return reportSchema.safeParse(data).success ? { stage, leaseId: null } : null;
  }
  const parsed = leasedSchema.safeParse(data);
  return parsed.success ? { stage, leaseId: parsed.data.leaseId } : null;
}

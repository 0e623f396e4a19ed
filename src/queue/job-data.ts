import { z } from "zod";

/** Lease ids are short; what is longer was not written by licet. */
const LEASE_ID_MAX_CHARS = 200;

/** What a job holds in Redis or PostgreSQL: a lease id, and nothing else (no URL, token, key or content). */
const jobDataSchema = z.object({ leaseId: z.string().min(1).max(LEASE_ID_MAX_CHARS) });

export type JobData = z.infer<typeof jobDataSchema>;

/** The lease id of a job that was taken, or null for what licet did not write: Redis is shared with others. */
export function parseJobData(data: unknown): JobData | null {
  const parsed = jobDataSchema.safeParse(data);
  return parsed.success ? parsed.data : null;
}

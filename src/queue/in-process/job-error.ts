import { ErrorCode } from "bullmq";

/** An error about one job, with BullMQ's own code and words: its callers branch on the code. */
export class JobError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.name = "JobError";
    this.code = code;
  }
}

export function missingJob(jobId: string | undefined, command: string): JobError {
  return new JobError(ErrorCode.JobNotExist, `Missing key for job ${jobId}. ${command}`);
}

export function notInState(jobId: string, state: string, command: string): JobError {
  return new JobError(ErrorCode.JobNotInState, `Job ${jobId} is not in the ${state} state. ${command}`);
}

export function missingLock(jobId: string, command: string): JobError {
  return new JobError(ErrorCode.JobLockNotExist, `Missing lock for job ${jobId}. ${command}`);
}

export function lockMismatch(jobId: string, command: string): JobError {
  return new JobError(ErrorCode.JobLockMismatch, `Lock mismatch for job ${jobId}. Cmd ${command} from active`);
}

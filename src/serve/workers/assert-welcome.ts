import { LicetError } from "../../errors.ts";

/** More of them would only get shares of nothing, and each is a row of `licet status` and of `/metrics`. */
const MAX_WORKERS = 256;

export interface Present {
  readonly queueUrl: string;
  readonly workers: number;
  readonly isStopping: boolean;
}

/** Whether one more worker may come. @throws LicetError QUEUE_NOT_SHARED, SERVICE_STOPPING, SERVICE_BUSY */
export function assertWelcome({ queueUrl, workers, isStopping }: Present): void {
  if (queueUrl === "embedded") {
    throw new LicetError("QUEUE_NOT_SHARED", "the queue of this service is embedded: no other machine reaches it", {
      hint: "Set queue.url of the service to a Redis that its workers reach too, and start it again.",
    });
  }
  if (isStopping) {
    throw new LicetError("SERVICE_STOPPING", "the service is stopping: no worker comes any more", {
      hint: "The worker comes to the next service by itself.",
    });
  }
  if (workers >= MAX_WORKERS) {
    throw new LicetError("SERVICE_BUSY", `the service has ${MAX_WORKERS} workers already`, {
      hint: "Give the workers that are there more --concurrency.",
    });
  }
}

/** What names a queue, for what is said of it: a setting of the configuration, or an argument of a worker. */
export interface QueueSetting {
  readonly name: string;
  /** The code of an error in its value. */
  readonly invalid: "CONFIG_INVALID" | "USAGE_INVALID";
  /** Whether it may be `embedded`. */
  readonly mayEmbed: boolean;
}

export const QUEUE_URL: QueueSetting = { name: "queue.url", invalid: "CONFIG_INVALID", mayEmbed: true };
/** A worker has no configuration, and works on the queue of another process. */
export const QUEUE_OF_WORKER: QueueSetting = { name: "--queue", invalid: "USAGE_INVALID", mayEmbed: false };

/**
 * The queue of schedules: it wakes the service when a slot may be due. Like the queue of stages it is transport: what it carries is the
 * name of a schedule, it may be emptied at any time, and it may wake late, twice or never. The ledger decides whether a slot runs.
 *
 * Its name is fixed for a ledger, unlike the queues of runs: its schedulers stay on a server when the service stops, and the next
 * service finds and updates them. It never has more than one scheduler of a schedule.
 */

/** When a schedule is due, as the queue needs it. */
export type Timing =
  | { readonly kind: "cron"; readonly cron: string; readonly timeZone: string }
  | { readonly kind: "every"; readonly everyMs: number };

/** A schedule of the configuration. */
export interface QueuedSchedule {
  /** At most 300 characters. */
  readonly name: string;
  readonly timing: Timing;
}

export interface ScheduleQueueEvents {
  /**
   * A slot of this schedule may be due. Its result does not matter to the queue: no job is tried again. It should return soon, and not
   * wait for a run.
   */
  readonly onDue: (schedule: string) => Promise<void>;
  /** A problem that ends nothing: a job that is not licet's, a server that drops jobs when its memory is full. */
  readonly onWarning: (warning: string) => void;
  /** A connection that is lost, or is back. @default `onWarning` */
  readonly onConnection?: (sentence: string) => void;
}

export interface ScheduleQueue {
  /**
   * Makes the schedulers of this queue exactly these: adds or updates each, and removes all others. Repeating it changes nothing that is
   * right, and repairs what is not.
   * @throws LicetError QUEUE_UNREACHABLE
   */
  setSchedules(schedules: readonly QueuedSchedule[]): Promise<void>;
  /** How many schedulers there are. Fewer than were set: the server lost them. @throws LicetError QUEUE_UNREACHABLE */
  countSchedules(): Promise<number>;
  /** Ends the wake-ups and closes the connections. The schedulers stay on the server. Never throws, whatever the state of the server. */
  close(): Promise<void>;
}

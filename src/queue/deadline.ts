/** What `withDeadline` rejects with when the time is over. */
export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.name = "DeadlineError";
  }
}

/**
 * The promise's result, or a DeadlineError after `ms`. The work itself goes on, and what it says later is ignored: use it
 * only for what may be done late or twice. Timers are the machine's own, since this guards real sockets.
 */
export async function withDeadline<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(ms)), ms);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

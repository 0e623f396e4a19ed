/** The error of `withDeadline` when the time is over. */
export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.name = "DeadlineError";
  }
}

/**
 * Returns the promise's result, or throws a DeadlineError after `ms`. The work itself continues, and its later result is ignored.
 * Use it only for work that may finish late or happen twice. It uses the machine's timers, because it guards real sockets.
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

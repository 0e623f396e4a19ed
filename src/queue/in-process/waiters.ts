/** Calls that wait for a value: until one comes, until their time is over, or until whoever waits gives up. */
export class Waiters<T> {
  readonly #waiting = new Set<(value: T | null) => void>();

  /** @returns null after `timeoutMs` (null: never), or once the signal is aborted */
  wait(timeoutMs: number | null, signal: AbortSignal): Promise<T | null> {
    if (signal.aborted) {
      return Promise.resolve(null);
    }
    return new Promise((resolve) => {
      const end = (value: T | null) => {
        this.#waiting.delete(end);
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        resolve(value);
      };
      const onAbort = () => end(null);
      const timer = timeoutMs === null ? undefined : setTimeout(onAbort, timeoutMs);
      signal.addEventListener("abort", onAbort);
      this.#waiting.add(end);
    });
  }

  /** Hands the value to whoever waits longest; false when nobody does. */
  wakeFirst(value: T): boolean {
    const [first] = this.#waiting;
    first?.(value);
    return first !== undefined;
  }

  wakeAll(value: T): void {
    for (const end of [...this.#waiting]) {
      end(value);
    }
  }
}

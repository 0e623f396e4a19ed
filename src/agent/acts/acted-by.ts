/** Who acts: the name that a caller gives, else the user of the system that the process runs as. */
import { userInfo } from "node:os";
import type { ActedBy } from "../../act/act.ts";
import { isActedBy, STOPPED_BY_SERVICE } from "../../run/stopped-by.ts";

/** Who asks for something that is written down with a name. */
export interface ActingOptions {
  /** Who decides. It is kept with the decision. @default the system's user; over HTTP the name of the token */
  readonly by?: string | undefined;
  /** Why. It is kept with the decision, and `log`, `explain` and `evidence` show it. */
  readonly reason?: string | undefined;
  /**
   * Names the request, so that it can be sent again when its answer was lost. One that has done what it asks for is refused, or does nothing; `log` says
   * what it did. 1 to 200 characters. @default none
   */
  readonly requestKey?: string | undefined;
}

/** The name of the user that this process runs as. A user without a name, as in many containers, is its number. */
export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

export function toActedBy(
  resources: { readonly systemUser: () => string },
  { by, reason, requestKey }: ActingOptions,
): ActedBy {
  return {
    by: by ?? resources.systemUser(),
    reason: reason ?? null,
    ...(requestKey === undefined ? {} : { requestKey }),
  };
}

/**
 * A signal that aborts with the given one, and always says who stopped: a service, the person that the reason names (`{ by, reason }`), or
 * else the system's user. `detach` ends the watch of the given signal, which may exist longer than the run.
 */
export function nameStops(
  given: AbortSignal | undefined,
  resources: { readonly systemUser: () => string },
): { readonly signal: AbortSignal; detach(): void } {
  const named = new AbortController();
  const abort = () => {
    const reason: unknown = given?.reason;
    const isNamed = reason === STOPPED_BY_SERVICE || isActedBy(reason);
    named.abort(isNamed ? reason : toActedBy(resources, {}));
  };
  if (given?.aborted === true) {
    abort();
  }
  given?.addEventListener("abort", abort, { once: true });
  return { signal: named.signal, detach: () => given?.removeEventListener("abort", abort) };
}

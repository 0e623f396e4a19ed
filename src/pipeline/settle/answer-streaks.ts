/**
 * Counts answers to content requests that come in a row and show a problem of the whole site. 401 for every fresh token: the
 * token does not arrive in the form that the gateway expects. A redirect: another server answers in front of the gateway. Paid
 * pages without content: the site delivers nothing for its price. Each streak is reported once and stops the site. A single such
 * answer concerns only its page.
 */

/** This many refused fresh tokens stop the site, if it has granted no content before. */
export const UNAUTHORIZED_IN_A_ROW = 5;
/** This many redirects in a row stop a site that has granted content. The first redirect stops a site that has granted none. */
export const REDIRECTED_IN_A_ROW = 5;
/** This many paid pages without content in a row stop the site. */
export const EMPTY_IN_A_ROW = 5;

/** Each method that returns a boolean returns true only for the call that completes a streak. */
export interface AnswerStreaks {
  /** The gateway granted content. */
  granted(host: string): void;
  /** The gateway refused a fresh token (401). */
  unauthorized(host: string): boolean;
  /** The gateway answered a content request with a redirect. */
  redirected(host: string): boolean;
  /** Paid content arrived. `isEmpty` says whether it was empty. */
  filled(host: string, isEmpty: boolean): boolean;
}

export function createAnswerStreaks(): AnswerStreaks {
  const unauthorized = createStreaks();
  const redirected = createStreaks();
  const empty = createStreaks();
  const grantedHosts = new Set<string>();
  return {
    granted: (host) => {
      grantedHosts.add(host);
      redirected.end(host);
    },
    unauthorized: (host) => !grantedHosts.has(host) && unauthorized.add(host) === UNAUTHORIZED_IN_A_ROW,
    redirected: (host) => redirected.add(host) === (grantedHosts.has(host) ? REDIRECTED_IN_A_ROW : 1),
    filled: (host, isEmpty) => {
      if (!isEmpty) {
        empty.end(host);
      }
      return isEmpty && empty.add(host) === EMPTY_IN_A_ROW;
    },
  };
}

/** The number of consecutive events, by host. */
function createStreaks(): { add(host: string): number; end(host: string): void } {
  const counts = new Map<string, number>();
  return {
    add: (host) => {
      const count = (counts.get(host) ?? 0) + 1;
      counts.set(host, count);
      return count;
    },
    end: (host) => {
      counts.delete(host);
    },
  };
}

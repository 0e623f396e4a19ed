/**
 * What the answers to content requests say of a whole site when they come in a row. 401 for every fresh token: the token does not arrive
 * as the gateway wants it. A redirect: something in front of the gateway answers. Content without content: the site gives nothing for its
 * price. Each is said once and the site stopped; one page that is answered so means only that page.
 */

/** So many fresh tokens refused, with no content granted before, stop the site. */
export const UNAUTHORIZED_IN_A_ROW = 5;
/** So many redirects in a row stop a site that has granted content; one that has granted none is stopped by the first. */
export const REDIRECTED_IN_A_ROW = 5;
/** So many pages in a row that were paid for and came without content stop the site. */
export const EMPTY_IN_A_ROW = 5;

/** Each question is true for the one call that completes a streak. */
export interface AnswerStreaks {
  /** Content was granted. */
  granted(host: string): void;
  /** A fresh token was refused (401). */
  unauthorized(host: string): boolean;
  /** Content was answered with a redirect. */
  redirected(host: string): boolean;
  /** Paid content came, with something in it or without. */
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

/** What came in a row, by host. */
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

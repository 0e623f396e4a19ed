/**
 * Counts answers to content requests that come in a row and show a problem of the whole site. 401 for every fresh token: the
 * token does not arrive in the form that the gateway expects. A redirect: another server answers in front of the gateway. Paid
 * pages without content: the site delivers nothing for its price. Each of these streaks is reported once and stops the site. A single
 * such answer concerns only its page. Unused tokens: the gateway asks for rests that are longer than its tokens live, and serves no
 * content in between.
 */

/** This many refused token requests stop the site, if it has granted none before. */
export const TOKENS_REFUSED_IN_A_ROW = 5;
/** This many refused fresh tokens stop the site, if it has granted no content before. */
export const UNAUTHORIZED_IN_A_ROW = 5;
/** This many redirects in a row stop a site that has granted content. The first redirect stops a site that has granted none. */
export const REDIRECTED_IN_A_ROW = 5;
/** This many paid pages without content in a row stop the site. */
export const EMPTY_IN_A_ROW = 5;

/** While a page has lost this many unused tokens in a row, and the site served no content, no page of the site gets another token. */
export const UNUSED_TOKENS_IN_A_ROW = 8;

/** Each method that returns a boolean returns true only for the call that completes a streak. */
export interface AnswerStreaks {
  /** The gateway granted content. */
  granted(host: string): void;
  /** The gateway refused a token request (400). */
  tokenRefused(host: string): boolean;
  /** The gateway refused a fresh token (401). */
  unauthorized(host: string): boolean;
  /** The gateway answered a content request with a redirect. */
  redirected(host: string): boolean;
  /**
   * The token of a page expired before the gateway served its request.
   * @returns how often in a row this has happened to the page while the site served no content. Null: to this page, or to another one of
   * the site, too often
   */
  unusedToken(host: string, url: string): number | null;
  /** Paid content arrived. `isEmpty` says whether it was empty. */
  contentArrived(host: string, isEmpty: boolean): boolean;
}

export function createAnswerStreaks(): AnswerStreaks {
  const tokensRefused = createStreaks();
  const unauthorized = createStreaks();
  const redirected = createStreaks();
  const empty = createStreaks();
  const unused = new Map<string, UnusedTokens>();
  const grantedHosts = new Set<string>();
  return {
    granted: (host) => {
      grantedHosts.add(host);
      redirected.end(host);
      unused.delete(host);
    },
    tokenRefused: (host) => tokensRefused.add(host) === TOKENS_REFUSED_IN_A_ROW,
    unauthorized: (host) => !grantedHosts.has(host) && unauthorized.add(host) === UNAUTHORIZED_IN_A_ROW,
    redirected: (host) => redirected.add(host) === (grantedHosts.has(host) ? REDIRECTED_IN_A_ROW : 1),
    unusedToken: (host, url) => {
      const tokens = unused.get(host) ?? { byUrl: new Map(), isEnough: false };
      const count = (tokens.byUrl.get(url) ?? 0) + 1;
      tokens.isEnough ||= count >= UNUSED_TOKENS_IN_A_ROW;
      if (tokens.isEnough) {
        tokens.byUrl.clear();
      } else {
        tokens.byUrl.set(url, count);
      }
      unused.set(host, tokens);
      return tokens.isEnough ? null : count;
    },
    contentArrived: (host, isEmpty) => {
      if (!isEmpty) {
        empty.end(host);
      }
      return isEmpty && empty.add(host) === EMPTY_IN_A_ROW;
    },
  };
}

/** Of one site, since it last served content. */
interface UnusedTokens {
  readonly byUrl: Map<string, number>;
  isEnough: boolean;
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

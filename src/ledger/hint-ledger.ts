/** Hints: notifications that a page was created or updated. A hint is only a reason to look at the page. */

export const HINT_KINDS = ["created", "updated"] as const;
export type HintKind = (typeof HINT_KINDS)[number];

/** Where a hint comes from: a webhook delivery, or the gateway's delivery records. */
export const HINT_SOURCES = ["delivery", "history"] as const;
export type HintSource = (typeof HINT_SOURCES)[number];

/**
 * `waiting`: not yet in a run. `entered`: in the frontier of a webhook run that has not ended. `done`: that run decided the page, or it was
 * not worth a quote. `unknown_site`: the URL is of no configured site. `excluded`: the site's globs leave the page out.
 */
export const HINT_STATES = ["waiting", "entered", "done", "unknown_site", "excluded"] as const;
export type HintState = (typeof HINT_STATES)[number];

/** The addresses and headers between a worker and its service. */

export const LEDGER_PATHS = {
  hello: "/ledger/v1/hello",
  beat: "/ledger/v1/beat",
  bye: "/ledger/v1/bye",
  messages: "/ledger/v1/messages",
} as const;

export const LEDGER_HEADERS = {
  /** The version of licet: both sides must have the same one. */
  version: "licet-version",
  session: "licet-session",
  /** `NumberedRequest` */
  number: "licet-number",
  done: "licet-done",
} as const;

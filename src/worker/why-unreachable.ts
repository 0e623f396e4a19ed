/** Why a request had no answer, by the code of the system or of the connection. Its message is not told: it may have addresses and headers in it. */
const REASONS: readonly (readonly [finds: RegExp, why: string])[] = [
  [/^ECONNREFUSED$/, "nobody listens there"],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "the name of the host is not known"],
  [/^(?:EHOSTUNREACH|ENETUNREACH)$/, "there is no way to the host"],
  [/CERT|UNABLE_TO_VERIFY/, "its certificate is not trusted (NODE_EXTRA_CA_CERTS) or is of another host"],
  [/^(?:EPROTO|ERR_SSL_.*)$/, "one side speaks TLS and the other does not (https:// or http://)"],
  [/TIMEDOUT|TIMEOUT$/, "no answer in time"],
];

/** @param error what `fetch` threw. @returns with the code, for who looks it up */
export function whyUnreachable(error: unknown): string {
  const { cause, name } = error as { readonly cause?: { readonly code?: unknown }; readonly name?: unknown };
  if (name === "TimeoutError" || name === "AbortError") {
    return "no answer in time";
  }
  const code = String(cause?.code ?? "");
  const why = REASONS.find(([finds]) => finds.test(code))?.[1] ?? "the connection was lost";
  return code === "" ? why : `${why} (${code})`;
}

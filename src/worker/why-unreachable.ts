import { findConnectionReason } from "../connection-reason.ts";

/**
 * Why a request had no answer, by the code of the system or of the connection. Its message is not told: it may have addresses and headers in it.
 * @param error what `fetch` threw. @returns with the code, for who looks it up
 */
export function whyUnreachable(error: unknown): string {
  const { cause, name } = error as { readonly cause?: { readonly code?: unknown }; readonly name?: unknown };
  const code = String(cause?.code ?? "");
  const isOver = name === "TimeoutError" || name === "AbortError";
  const why = findConnectionReason(isOver ? "timed out" : code, { plain: "http://", tls: "https://" });
  return `${why ?? "the connection was lost"}${code === "" ? "" : ` (${code})`}`;
}

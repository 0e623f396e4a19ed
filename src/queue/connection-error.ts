/** What clients, Clusters and Sentinels say of a server that is away, or that is being replaced. */
const AWAY =
  /connection is closed|could not renew lock|socket timeout|sentinels are unreachable|too many cluster redirections|failed to refresh slots|none of startup nodes|cluster (?:is disconnect|is ended|reconnect timed out)/i;
const REPLACED = /^(?:CLUSTERDOWN|LOADING|MASTERDOWN|NOREPLICAS|READONLY|TRYAGAIN|UNBLOCKED)\b/;

/** Whether an error of a worker only says that its server is away. The transport reports outages, once each. */
export function isConnectionError(error: Error): boolean {
  const code = "code" in error ? String(error.code) : "";
  return (
    /^(QUEUE_UNREACHABLE|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/.test(code) ||
    AWAY.test(error.message) ||
    REPLACED.test(error.message)
  );
}

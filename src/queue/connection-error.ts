/** Whether an error of a worker only says that its server is away. The transport reports outages, once each. */
export function isConnectionError(error: Error): boolean {
  const code = "code" in error ? String(error.code) : "";
  return (
    /^(QUEUE_UNREACHABLE|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)$/.test(code) ||
    /connection is closed|could not renew lock/i.test(error.message)
  );
}

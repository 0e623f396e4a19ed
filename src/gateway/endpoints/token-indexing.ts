/** The indexing token. Nothing is charged with it. */

export function writeIndexingTokenRequest(url: string, userAgent: string): Buffer {
  return Buffer.from(JSON.stringify({ url, userAgent }));
}

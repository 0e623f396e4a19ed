/** The indexing token (gateway-notes § Tokens interface). Nothing is charged with it. */

export function writeIndexingTokenRequest(url: string, userAgent: string): Buffer {
  return Buffer.from(JSON.stringify({ url, userAgent }));
}

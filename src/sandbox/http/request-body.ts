import type { IncomingMessage } from "node:http";

/**
 * Reads a body whole, then calls back with it; `null` as soon as it is larger than allowed. Never calls back when the
 * client goes away. A callback, since a promise for each request would be the larger part of the work.
 */
export function readBody(message: IncomingMessage, maxBytes: number, done: (body: Buffer | null) => void): void {
  if (Number(message.headers["content-length"] ?? 0) > maxBytes) {
    done(null);
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) {
      chunks.push(chunk);
      return;
    }
    message.off("data", onData);
    message.off("end", onEnd);
    done(null);
  };
  const onEnd = () => {
    const [only] = chunks;
    done(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
  };
  message.on("data", onData);
  message.on("end", onEnd);
}

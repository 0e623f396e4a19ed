/**
 * An answer is in memory until it was taken. What waits for slow readers is bounded over all connections, and for each reader, so that whoever asks for
 * much and takes nothing is refused more, and nobody else is.
 */
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { LicetError } from "../../errors.ts";
import { type Clock, elapsedMs } from "../../time/clock.ts";

export interface UntakenLimits {
  /** Of all readers. A single answer may be longer. */
  readonly bytes: number;
  /** Of one reader. A single answer may be longer. */
  readonly bytesOfReader: number;
  /** Shorter answers are not counted, and always sent: the number of connections bounds them. */
  readonly countedBytes: number;
  /** An answer that was not taken whole for so long is given up when it leaves no room for another one, however slowly it is taken. */
  readonly givenUpMs: number;
}

export const UNTAKEN_LIMITS: UntakenLimits = {
  bytes: 67_108_864,
  bytesOfReader: 33_554_432,
  countedBytes: 8_192,
  givenUpMs: 30_000,
};

interface Untaken {
  /** The name of its token, null without one: there are never more readers than tokens. */
  readonly reader: string | null;
  readonly bytes: number;
  /** By the clock's `elapsed`. */
  readonly sinceMs: number;
  readonly socket: Socket;
}

/** Must be added before any route. Answers to actions are counted and never refused, because what they tell is done. */
export function boundUntakenAnswers(
  app: FastifyInstance,
  clock: Pick<Clock, "now" | "elapsed">,
  limits: UntakenLimits,
): void {
  /** In the order in which they were sent. */
  const untaken = new Set<Untaken>();

  /** Those that leave no room for the answer. */
  function findFull({ reader, bytes }: Untaken): readonly Untaken[] {
    const all = [...untaken];
    const own = all.filter((other) => other.reader === reader);
    const isFull = (others: readonly Untaken[], most: number) =>
      others.length > 0 && others.reduce((sum, other) => sum + other.bytes, bytes) > most;
    return isFull(own, limits.bytesOfReader) ? own : isFull(all, limits.bytes) ? all : [];
  }

  function makeRoom(answer: Untaken): boolean {
    for (let [oldest] = findFull(answer); oldest !== undefined; [oldest] = findFull(answer)) {
      if (answer.sinceMs - oldest.sinceMs < limits.givenUpMs) {
        return false;
      }
      untaken.delete(oldest);
      oldest.socket.destroy();
    }
    return true;
  }

  app.addHook("onSend", async ({ method, tokenName, raw: { socket } }, reply, payload) => {
    const bytes = typeof payload === "string" || payload instanceof Uint8Array ? Buffer.byteLength(payload) : 0;
    // Of a connection that is closed, no more events come.
    if (bytes < limits.countedBytes || method === "HEAD" || socket.destroyed) {
      return;
    }
    const answer = { reader: tokenName, bytes, sinceMs: elapsedMs(clock), socket };
    if (!makeRoom(answer) && method === "GET") {
      reply.removeHeader("content-disposition");
      throw new LicetError("SERVICE_BUSY", "too many answers wait in memory until their readers take them", {
        hint: "Read the answers that were asked for, and ask again in a few seconds.",
      });
    }
    untaken.add(answer);
    const forget = () => {
      untaken.delete(answer);
      socket.off("close", forget);
    };
    reply.raw.once("finish", forget);
    // An answer behind another one has no event of its own when the connection closes.
    socket.once("close", forget);
  });
}

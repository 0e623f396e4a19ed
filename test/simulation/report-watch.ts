/**
 * Of which report requests the outcome is unknown to licet: those whose sender never learnt it, or was killed or held up before it could
 * write down what it learnt.
 */
import type { WireRequest } from "../../src/gateway/exchange.ts";

export interface ReportWatch {
  /** A report leaves. @returns to be called when its sender learns what became of it */
  left(sender: string, request: WireRequest, now: number): () => void;
  /** A sender meets a batch. */
  met(batch: { readonly batchId: number; readonly idempotencyId: string }): void;
  /** A sender has written down what became of a batch. */
  recorded(sender: string, batchId: number): void;
  /** Since when an attempt of this report may have arrived unknown to licet; null when there is none. */
  unknownSince(idempotencyId: string): number | null;
}

interface Attempt {
  readonly sender: string;
  readonly at: number;
  isLearnt: boolean;
}

export function createReportWatch(): ReportWatch {
  const unknown = new Map<string, Set<Attempt>>();
  const idOf = new Map<number, string>();
  return {
    left: (sender, { body }, at) => {
      const { idempotencyId } = JSON.parse(Buffer.from(body ?? []).toString()) as { readonly idempotencyId: string };
      const attempts = unknown.get(idempotencyId) ?? new Set();
      unknown.set(idempotencyId, attempts);
      const attempt = { sender, at, isLearnt: false };
      attempts.add(attempt);
      return () => {
        attempt.isLearnt = true;
      };
    },
    met: ({ batchId, idempotencyId }) => {
      idOf.set(batchId, idempotencyId);
    },
    recorded: (sender, batchId) => {
      const attempts = unknown.get(idOf.get(batchId) ?? "");
      for (const attempt of attempts ?? []) {
        if (attempt.isLearnt && attempt.sender === sender) {
          attempts?.delete(attempt);
        }
      }
    },
    unknownSince: (idempotencyId) => {
      const instants = [...(unknown.get(idempotencyId) ?? [])].map(({ at }) => at);
      return instants.length === 0 ? null : Math.min(...instants);
    },
  };
}

/** Answers after which it is not known whether the report was taken. */
export function leavesUnknown(status: number): boolean {
  return status < 400 || status === 408 || status === 425 || status === 429 || status >= 500;
}

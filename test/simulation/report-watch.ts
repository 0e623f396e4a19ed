/**
 * The report requests whose outcome is unknown to licet: their sender never learned it, or was killed or suspended before it could
 * record it.
 */
import type { WireRequest } from "../../src/gateway/exchange.ts";

export interface ReportWatch {
  /** A sender meets a batch. */
  met(batch: { readonly reportId: number; readonly idempotencyId: string }): void;
  /** A sender has recorded that it will send a batch: if it dies now, the outcome is unknown. */
  attempted(sender: string, reportId: number, now: number): void;
  /** The report leaves. @returns to be called when its sender learns what became of it */
  left(sender: string, request: WireRequest): () => void;
  /** A sender has written down what became of a batch. */
  recorded(sender: string, reportId: number): void;
  /** Since when an attempt of this report may have arrived unknown to licet; null when there is none. */
  unknownSince(idempotencyId: string): number | null;
}

interface Attempt {
  readonly sender: string;
  readonly at: number;
  isLearnt: boolean;
}

export function createReportWatch(): ReportWatch {
  const unknown = new Map<string, readonly Attempt[]>();
  const idOf = new Map<number, string>();
  return {
    attempted: (sender, reportId, at) => {
      const idempotencyId = idOf.get(reportId) ?? "";
      unknown.set(idempotencyId, [...(unknown.get(idempotencyId) ?? []), { sender, at, isLearnt: false }]);
    },
    left: (sender, { body }) => {
      const { idempotencyId } = JSON.parse(Buffer.from(body ?? []).toString()) as { readonly idempotencyId: string };
      const attempt = unknown.get(idempotencyId)?.findLast((one) => one.sender === sender);
      return () => {
        if (attempt !== undefined) {
          attempt.isLearnt = true;
        }
      };
    },
    met: ({ reportId, idempotencyId }) => {
      idOf.set(reportId, idempotencyId);
    },
    recorded: (sender, reportId) => {
      const idempotencyId = idOf.get(reportId) ?? "";
      const attempts = unknown.get(idempotencyId) ?? [];
      // An answer that came too late to be written down stays unknown: what is written down is the newest one.
      const newest = attempts.findLast((one) => one.sender === sender);
      unknown.set(
        idempotencyId,
        attempts.filter((one) => one !== newest || !one.isLearnt),
      );
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

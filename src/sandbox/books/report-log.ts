import { createHash } from "node:crypto";

/** An accepted report: the hash of its bytes, and the place of its entries in the account. */
export interface LoggedReport {
  readonly bodyHash: string;
  readonly firstUse: number;
  readonly useCount: number;
}

/** The accepted reports by idempotency id. An entry is never removed. */
export class ReportLog {
  readonly #reports = new Map<string, LoggedReport>();

  find(idempotencyId: string): LoggedReport | null {
    return this.#reports.get(idempotencyId) ?? null;
  }

  add(idempotencyId: string, report: LoggedReport): void {
    if (this.#reports.has(idempotencyId)) {
      throw new Error(`report ${idempotencyId} is logged already`);
    }
    this.#reports.set(idempotencyId, report);
  }

  get size(): number {
    return this.#reports.size;
  }
}

/** Identifies a body byte for byte. */
export function hashBody(body: Buffer): string {
  return createHash("sha256").update(body).digest("base64");
}

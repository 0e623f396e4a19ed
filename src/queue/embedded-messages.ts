/** What the main thread and the embedded database's thread say to each other. Plain data only. */

/** Which image to start from (null: `initdb`), and where to leave one for the next start. */
export interface EmbeddedStart {
  readonly loadImage: string | null;
  readonly writeImage: string | null;
}

export interface EmbeddedQuery {
  readonly id: number;
  readonly text: string;
  readonly params: unknown[];
}

/** BullMQ reads `code` and `detail` of PostgreSQL's errors. */
export interface PlainError {
  readonly message: string;
  readonly code?: string;
  readonly detail?: string;
}

export type EmbeddedAnswer =
  | { readonly kind: "ready" }
  | { readonly kind: "rows"; readonly id: number; readonly rows: Record<string, unknown>[] }
  | { readonly kind: "error"; readonly id: number; readonly error: PlainError }
  | { readonly kind: "notification"; readonly channel: string; readonly payload: string };

export function toPlainError(error: unknown): PlainError {
  if (!(error instanceof Error)) {
    return { message: String(error) };
  }
  const { code, detail } = error as { code?: unknown; detail?: unknown };
  return {
    message: error.message,
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof detail === "string" ? { detail } : {}),
  };
}

import { hash } from "node:crypto";

/** JSON with the keys of each object in order: equal values are equal texts. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isSection(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** SHA-256 of the canonical JSON, in lower-case hex. */
export function digestOf(value: unknown): string {
  return hash("sha256", toCanonicalJson(value));
}

export function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

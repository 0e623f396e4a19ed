/** Reads a value whose shape has not been checked. A part of another type counts as absent. */

/** Any section of a file whose shape has not been checked. */
export type Loose = Readonly<Record<string, unknown>>;

export function toSection(value: unknown): Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Loose) : {};
}

export function toSections(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.map(toSection) : [];
}

export function toText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

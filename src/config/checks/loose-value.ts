/** Reads a value whose shape has not been checked. A part of another type counts as absent. */
import { assertLicetError } from "../../errors.ts";

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

/** What a text says. Null also for a text that cannot be read: the schema reports it. */
export function readText<Value>(value: unknown, parse: (text: string) => Value): Value | null {
  const text = toText(value);
  try {
    return text === null ? null : parse(text);
  } catch (error) {
    assertLicetError(error);
    return null;
  }
}

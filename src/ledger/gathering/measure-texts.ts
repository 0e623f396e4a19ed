/**
 * The size of the texts and bytes that an operation is asked to write, in its fields and in the fields of those: such as the content of a
 * settlement. What is deeper is in lists of bounded length and has no texts of a page's size.
 */
export function measureTexts(asked: unknown): number {
  let size = 0;
  for (const value of fieldsOf(asked)) {
    size += measure(value);
    for (const inner of fieldsOf(value)) {
      size += measure(inner);
    }
  }
  return size;
}

const NONE: readonly unknown[] = [];

function fieldsOf(value: unknown): readonly unknown[] {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
  return isRecord ? Object.values(value) : NONE;
}

function measure(value: unknown): number {
  return typeof value === "string" || value instanceof Uint8Array ? value.length : 0;
}

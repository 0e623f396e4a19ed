/**
 * The size of the texts and bytes that an operation is asked to write, in its fields and in the fields of those: such as the content of a
 * settlement. What is deeper is in lists of bounded length and has no texts of a page's size.
 */
export function measureTexts(asked: unknown): number {
  let size = 0;
  if (isRecord(asked)) {
    for (const name in asked) {
      const value = asked[name];
      size += isRecord(value) ? measureFields(value) : measure(value);
    }
  }
  return size;
}

function measureFields(fields: Readonly<Record<string, unknown>>): number {
  let size = 0;
  for (const name in fields) {
    size += measure(fields[name]);
  }
  return size;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

function measure(value: unknown): number {
  return typeof value === "string" || value instanceof Uint8Array ? value.length : 0;
}

/**
 * The size of the content that an operation is asked to write: `content` of a settlement, or the `markdown` that was derived later. Nothing else
 * that is asked for has the size of a page. Other fields are not looked at, because each operation has others, and this is asked for each of them.
 */
export function measureContent(asked: unknown): number {
  const { content, markdown } = (asked ?? {}) as { readonly content?: unknown; readonly markdown?: unknown };
  return measure(markdown) + (typeof content === "object" && content !== null ? measureFields(content) : 0);
}

function measureFields(fields: object): number {
  let size = 0;
  for (const field of Object.values(fields)) {
    size += measure(field);
  }
  return size;
}

function measure(value: unknown): number {
  return typeof value === "string" || value instanceof Uint8Array ? value.length : 0;
}

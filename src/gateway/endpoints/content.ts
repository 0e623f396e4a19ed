/** The endpoints *Get Content* and *Index Content* of the gateway specification: the chargeable request, and the free one. */
import type { ContentPayload, WireFormat } from "../gateway.ts";
import { isObject, type JsonObject, readPrice, readText } from "../json-answer.ts";
import { readLicense, readValidUntil } from "./rate-option.ts";

export const MIME_TYPES: Readonly<Record<WireFormat, string>> = { markdown: "text/markdown", html: "text/html" };

/**
 * The content, or the reason why the answer contains none.
 *
 * An answer with an object `content` is valid, even when the object is empty, because every field may be missing. An answer whose
 * body is not a text is not valid. A rate that cannot be read does not invalidate the content, which may be paid for:
 * `rateUnreadable` contains the reason.
 * @param bytes of the body, where they were cut out of the answer (body-bytes.ts)
 */
export function readContent(json: unknown, bytes: Buffer | null = null): ContentPayload | string {
  if (!isObject(json)) {
    return "the answer is not an object";
  }
  const content = json.content;
  if (!isObject(content)) {
    return "the answer has no content";
  }
  const body = content.body ?? "";
  if (typeof body !== "string") {
    return "the content's body is not a text";
  }
  const metadata = json.metadata;
  const around = {
    header: readText(content.header),
    footer: readText(content.footer),
    metadata: readMetadata(isObject(metadata) ? metadata : {}),
    ...readCharge(json.rate),
  };
  return bytes === null ? { ...around, body } : withBytes(around, bytes);
}

/**
 * A text of the bytes is made for those who read it: what stores a page takes the bytes. One getter serves all answers, because V8 keeps what an
 * object has of its own until it looks through the whole heap.
 */
const BODY: PropertyDescriptor = {
  enumerable: true,
  get(this: { bodyBytes: Buffer }) {
    return this.bodyBytes.toString("utf8");
  },
};

function withBytes(around: Omit<ContentPayload, "body">, bytes: Buffer): ContentPayload {
  Object.defineProperty(around, "bodyBytes", { value: bytes });
  return Object.defineProperty(around, "body", BODY) as ContentPayload;
}

function readMetadata(metadata: JsonObject): ContentPayload["metadata"] {
  return {
    author: readText(metadata.author),
    description: readText(metadata.description),
    imageUrl: readText(metadata.imageUrl),
    modified: readText(metadata.modified),
    published: readText(metadata.published),
    title: readText(metadata.title),
  };
}

/** A rate without a price does not show the charge. The quote counts then, as without a rate. */
function readCharge(rate: unknown): Pick<ContentPayload, "rate" | "rateUnreadable" | "license" | "validUntilAt"> {
  if (rate === null || rate === undefined) {
    return { rate: null, rateUnreadable: null, license: null };
  }
  if (!isObject(rate)) {
    return { rate: null, rateUnreadable: "the rate is not an object", license: null };
  }
  const license = readLicense(rate.license);
  const validUntilAt = readValidUntil(rate.license);
  if (rate.price === null || rate.price === undefined) {
    return { rate: null, rateUnreadable: null, license, validUntilAt };
  }
  const price = readPrice(rate.price);
  return typeof price === "string"
    ? { rate: null, rateUnreadable: price, license, validUntilAt }
    : { rate: { price, license }, rateUnreadable: null, license, validUntilAt };
}

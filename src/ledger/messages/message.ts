/**
 * Plain data as a message: one JSON text, and all bytes that are in the data, one after the other. For a value that JSON lacks, a stand-in is in
 * the text, and its place with its kind beside the data. So data of any form comes back exactly as it was.
 */
import { assertBug } from "../../errors.ts";

export interface Message {
  readonly text: string;
  /** A copy that nothing else uses, so a channel may hand it over. Null: there are no bytes in the data. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
}

/** What JSON lacks, each with how it is made of its stand-in. */
const KINDS = {
  undefined: () => undefined,
  number: (text: string) => Number(text),
  bigint: (text: string) => BigInt(text),
  date: (at: number | null) => new Date(at ?? Number.NaN),
  map: (entries: readonly (readonly [unknown, unknown])[]) => new Map(entries),
  set: (values: readonly unknown[]) => new Set(values),
  bytes: ([from, length]: readonly [number, number], all: Uint8Array) => all.subarray(from, from + length),
} as const satisfies Record<string, (standIn: never, all: Uint8Array) => unknown>;

type Kind = keyof typeof KINDS;

type Make = (standIn: unknown, all: Uint8Array) => unknown;

type Key = string | number;

/** A kind, and the keys from the data to the stand-in. What is within another special value comes before it. */
type Special = readonly [kind: Kind, ...place: Key[]];

const NO_BYTES = new Uint8Array(0);

/** @param data without functions and without objects of a class: with them it is a bug */
export function encodeMessage(data: unknown): Message {
  const encoding = new Encoding();
  const plain = encoding.toPlain(data);
  return { text: JSON.stringify([plain, encoding.specials]), bytes: encoding.joinBytes() };
}

export function decodeMessage({ text, bytes }: Message): unknown {
  const decoded = JSON.parse(text) as [data: unknown, specials: readonly Special[]];
  for (const [kind, ...place] of decoded[1]) {
    let holder = decoded as unknown as Record<Key, unknown>;
    let key: Key = 0;
    for (const next of place) {
      holder = holder[key] as Record<Key, unknown>;
      key = next;
    }
    holder[key] = (KINDS[kind] as Make)(holder[key], bytes ?? NO_BYTES);
  }
  return decoded[0];
}

class Encoding {
  readonly specials: Special[] = [];
  readonly #place: Key[] = [];
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  /** Copies only what has a special value within it. */
  toPlain(value: unknown): unknown {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : this.#special("number", Object.is(value, -0) ? "-0" : String(value));
      case "undefined":
        return this.#special("undefined", null);
      case "bigint":
        return this.#special("bigint", String(value));
      case "object":
        return value === null ? null : this.#objectToPlain(value);
      default:
        return assertBug(false, `${this.#where()} of a message is a ${typeof value}`);
    }
  }

  joinBytes(): Uint8Array<ArrayBuffer> | null {
    if (this.#pieces.length === 0) {
      return null;
    }
    const all = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }

  #objectToPlain(value: object): unknown {
    if (Array.isArray(value)) {
      return this.#elementsToPlain(value);
    }
    const prototype = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) {
      return this.#fieldsToPlain(value as Readonly<Record<string, unknown>>);
    }
    if (value instanceof Uint8Array) {
      const from = this.#length;
      this.#pieces.push(value);
      this.#length += value.length;
      return this.#special("bytes", [from, value.length]);
    }
    if (value instanceof Map || value instanceof Set) {
      return this.#special(value instanceof Map ? "map" : "set", this.#elementsToPlain([...value]));
    }
    assertBug(value instanceof Date, `${this.#where()} of a message is an object of a class`);
    return this.#special("date", value.getTime());
  }

  #elementsToPlain(list: readonly unknown[]): unknown[] {
    let copy: unknown[] | null = null;
    for (let index = 0; index < list.length; index += 1) {
      this.#place.push(index);
      const plain = this.toPlain(list[index]);
      this.#place.pop();
      if (plain !== list[index]) {
        copy ??= [...list];
        copy[index] = plain;
      }
    }
    return copy ?? (list as unknown[]);
  }

  #fieldsToPlain(fields: Readonly<Record<string, unknown>>): unknown {
    let copy: Record<string, unknown> | null = null;
    for (const key of Object.keys(fields)) {
      this.#place.push(key);
      const plain = this.toPlain(fields[key]);
      this.#place.pop();
      if (plain !== fields[key]) {
        copy ??= { ...fields };
        copy[key] = plain;
      }
    }
    return copy ?? fields;
  }

  #special(kind: Kind, standIn: unknown): unknown {
    this.specials.push([kind, ...this.#place]);
    return standIn;
  }

  #where(): string {
    return this.#place.join(".") || "the data";
  }
}

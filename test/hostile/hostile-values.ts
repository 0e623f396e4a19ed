import fc from "fast-check";

/** What a terminal, a parser or a database may stumble over. */
export const NASTY = [
  "\u001b[31m",
  "\u001b]0;owned\u0007",
  "\u009b2J",
  "\u0000",
  "\r\n",
  "\u202e",
  "\u2066",
  "\ud800",
  "\udfff",
  "\ufeff",
  "\u200b",
  "\u007f",
  "\u2028",
  "\\",
  '"',
  "'",
  "%00",
  "%2e%2e",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it must not be filled in
  "${LICET_API_KEY}",
  "__proto__",
  "constructor",
  "<script>",
] as const;

/** Any UTF-16 units, and often those that hurt. Through JSON, lone surrogates arrive as they are. */
export const nastyText = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: "binary", maxLength: 8 })), { maxLength: 6 })
  .map((parts) => parts.join(""));

/** Numbers as raw JSON, since `JSON.stringify` could not write most of them. */
export const NASTY_NUMBERS = [
  "-1",
  "-0",
  "0.5",
  "1e-7",
  "1e400",
  "-1e400",
  "9007199254740992",
  "9007199254740993",
  "1e308",
] as const;

/** No JSON of any kind is out of place. */
export const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  nastyText,
  fc.constantFrom(null, [], {}, "", 0, -1, true),
);

/** Seeded, so that a failure on one machine is a failure on every machine. */
export const SEED = { seed: 20_261_121 } as const;

/** For properties of whole runs, each in a world of its own. LICET_HOSTILE_WORLDS=100 makes so many of each, beginning with the same ones. */
export function worlds(few: number) {
  return { ...SEED, numRuns: Number(process.env.LICET_HOSTILE_WORLDS ?? few) };
}

/** Stands for a number that JavaScript cannot write, until `toRawJson` puts its digits there. */
export function rawNumber(digits: string): string {
  return `@@${digits}@@`;
}

export function toRawJson(value: unknown): string {
  return JSON.stringify(value).replace(/"@@([^"@]*)@@"/g, "$1");
}

/** URLs of a fetch from standard input, one a line. */
import { MAX_FETCHED_URLS } from "../../agent/fetch/fetch-report.ts";
import { LicetError } from "../../errors.ts";

/** So many URLs of the greatest length, with their line ends. */
const MAX_BYTES = 4_194_304;

/** Empty lines are passed over. @throws LicetError USAGE_INVALID for none, and for more than a fetch takes */
export async function readFetchedUrls(stdin: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) {
      throw tooMany();
    }
    chunks.push(chunk);
  }
  const urls = Buffer.concat(chunks)
    .toString("utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (urls.length === 0) {
    throw new LicetError("USAGE_INVALID", "stdin has no URL", {
      hint: "Write one URL a line: licet fetch - < urls.txt",
    });
  }
  if (urls.length > MAX_FETCHED_URLS) {
    throw tooMany();
  }
  return urls;
}

function tooMany(): LicetError {
  return new LicetError("USAGE_INVALID", `stdin has more URLs than a fetch takes: ${MAX_FETCHED_URLS}`, {
    hint: "Buy a longer list with: licet run --list -",
  });
}

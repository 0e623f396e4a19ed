/** Reads an invoice of purchases line by line, as CSV with a header or as JSON lines. */
import { z } from "zod";
import type { CheckedInvoiceLine } from "../../agent/resolve/doubt-word.ts";
import { formatPath } from "../../config/config-problem.ts";
import { assertLicetError } from "../../errors.ts";
import { toMicros } from "../../money/micros.ts";
import { parseMoney } from "../../money/parse-money.ts";
import { readLines } from "./use-file.ts";

export interface BadInvoiceLine {
  readonly line: number;
  readonly reason: string;
}

const invoiceLine = z.object({
  purchaseId: z.int().min(1).optional(),
  url: z.string().min(1).optional(),
  amount: z.union([z.string().min(1), z.number()]).optional(),
  amountMicros: z.int().min(0).optional(),
  currency: z.string().min(1).optional(),
});

/** Known CSV column names, in lower case and with letters only. */
const COLUMNS: Readonly<Record<string, keyof z.infer<typeof invoiceLine>>> = {
  purchaseid: "purchaseId",
  purchase: "purchaseId",
  id: "purchaseId",
  url: "url",
  page: "url",
  pageurl: "url",
  contenturl: "url",
  amount: "amount",
  price: "amount",
  charged: "amount",
  amountmicros: "amountMicros",
  pricemicros: "amountMicros",
  chargedmicros: "amountMicros",
  micros: "amountMicros",
  currency: "currency",
};

/** Yields the good lines and reports the bad ones. The first line decides the format: JSON begins with a brace. */
export async function* readInvoice(
  source: AsyncIterable<Uint8Array>,
  onBadLine: (bad: BadInvoiceLine) => void,
): AsyncGenerator<CheckedInvoiceLine> {
  let line = 0;
  let columns: readonly (keyof z.infer<typeof invoiceLine> | null)[] | null = null;
  for await (const text of readLines(source)) {
    line++;
    if (text !== null && text.trim() === "") {
      continue;
    }
    const isJson = text?.trimStart().startsWith("{") === true && columns === null;
    if (text !== null && !isJson && columns === null) {
      columns = readCells(text).map((name) => COLUMNS[name.toLowerCase().replaceAll(/[^a-z]/g, "")] ?? null);
      if (!columns.includes("purchaseId") && !columns.includes("url")) {
        onBadLine({ line, reason: 'the header names neither a "url" nor a "purchaseId"' });
        return;
      }
      continue;
    }
    const read = text === null ? "it is too long" : columns === null ? readJson(text) : readRow(text, columns);
    const parsed = typeof read === "string" ? read : toInvoiceLine(read, line);
    if (typeof parsed === "string") {
      onBadLine({ line, reason: parsed });
    } else {
      yield parsed;
    }
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return "it is not JSON";
  }
}

function readRow(text: string, columns: readonly (string | null)[]): unknown {
  const row: Record<string, string | number> = {};
  for (const [index, cell] of readCells(text).entries()) {
    const column = columns[index];
    if (column !== null && column !== undefined && cell !== "") {
      row[column] =
        (column === "purchaseId" || column === "amountMicros") && /^\d{1,15}$/.test(cell) ? Number(cell) : cell;
    }
  }
  return row;
}

/** The cells of a line (RFC 4180), separated by commas or semicolons. A cell that continues on the next line is not supported. */
function readCells(text: string): string[] {
  const separator = text.includes(",") ? "," : ";";
  const cells: string[] = [];
  const cell = new RegExp(`\\s*(?:"((?:[^"]|"")*)"|([^${separator}]*))\\s*(?:${separator}|$)`, "gy");
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (match === null) {
      break;
    }
    cells.push((match[1]?.replaceAll('""', '"') ?? match[2] ?? "").trim());
  }
  return cells;
}

/** @returns the line, or its problem */
function toInvoiceLine(value: unknown, line: number): CheckedInvoiceLine | string {
  const parsed = invoiceLine.safeParse(value);
  if (!parsed.success) {
    return parsed.error.issues.map(({ path, message }) => `${formatPath(path)}: ${message}`).join("; ");
  }
  const { purchaseId = null, url = null, amount, amountMicros, currency } = parsed.data;
  if (purchaseId === null && url === null) {
    return "it names neither a URL nor a purchase";
  }
  if (amountMicros !== undefined) {
    return { line, purchaseId, url, amount: { micros: toMicros(amountMicros), currency: currency ?? null } };
  }
  if (amount === undefined) {
    return { line, purchaseId, url, amount: null };
  }
  const read = readAmount(String(amount), currency ?? null);
  return typeof read === "string" ? read : { line, purchaseId, url, amount: read };
}

/** The placeholder when an amount has no currency. It means the currency of the quote. */
const ANY_CURRENCY = "ANY";

/** `0.01 USD`, or `0.01` with the currency in its own column or left out. */
function readAmount(text: string, currency: string | null): CheckedInvoiceLine["amount"] | string {
  const isBare = /^[\d.]+$/.test(text);
  try {
    const { micros, currency: named } = parseMoney(isBare ? `${text} ${currency ?? ANY_CURRENCY}` : text);
    return { micros, currency: isBare ? currency : named };
  } catch (error) {
    assertLicetError(error);
    return error.message;
  }
}

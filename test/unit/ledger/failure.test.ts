import { expect, test } from "vitest";
import { isLicetError, LicetError } from "../../../src/errors.ts";
import { toError, toFailure } from "../../../src/ledger/messages/failure.ts";
import { decodeMessage, encodeMessage } from "../../../src/ledger/messages/message.ts";

const throughMessage = (thrown: unknown) => toError(decodeMessage(encodeMessage(toFailure(thrown))) as never);

test("an operating error keeps its code, message, hint, details, cause and what follows from its code", () => {
  const cause = Object.assign(new TypeError("disk I/O error"), { code: "SQLITE_IOERR" });
  const details = { path: "/data/licet.sqlite" };
  const error = new LicetError("LEDGER_UNWRITABLE", "the disk reports an error", { hint: "Check it.", details, cause });
  const other = throughMessage(error);
  expect(isLicetError(other, "LEDGER_UNWRITABLE")).toBe(true);
  expect(JSON.stringify(other)).toBe(JSON.stringify(error));
  expect(other).toMatchObject({ hint: "Check it.", details, retry: "never", stops: "run", stack: error.stack });
  expect((other as Error).cause).toMatchObject({ name: "TypeError", message: "disk I/O error", code: "SQLITE_IOERR" });
  expect((other as Error).cause).toBeInstanceOf(Error);
});

test("an operating error without hint and cause has none afterwards", () => {
  const other = throughMessage(new LicetError("INTERRUPTED", "closed", { details: { path: "x" } })) as LicetError;
  expect(other.hint).toBeUndefined();
  expect("cause" in other).toBe(false);
});

test("a bug keeps its name, message and stack", () => {
  const error = new RangeError("bug: out of range");
  expect(throughMessage(error)).toMatchObject({ name: "RangeError", message: error.message, stack: error.stack });
  expect(isLicetError(throughMessage(error))).toBe(false);
});

test("what is thrown without being an error comes as a text", () => {
  expect(throughMessage("no")).toBe("no");
  expect(throughMessage(undefined)).toBe("undefined");
});

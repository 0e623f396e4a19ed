/** `error.code` decides the type of `error.details`. The compiler checks the lines below (`npm run typecheck`). */
import { describe, expect, expectTypeOf, it } from "vitest";
import type { ErrorDetailsByCode } from "../../src/error-details.ts";
import { type ErrorCode, isLicetError, LicetError } from "../../src/errors.ts";

const refused: unknown = new LicetError("GATEWAY_REFUSED", "refused", {
  details: { url: "https://a.example/", status: 400 },
});

describe("the details of an error", () => {
  it("have the type of the code that isLicetError is asked for", () => {
    expect.assertions(1);
    if (isLicetError(refused, "GATEWAY_REFUSED")) {
      expectTypeOf(refused.details.status).toEqualTypeOf<number>();
      expect(refused.details.status).toBe(400);
    }
  });

  it("have the type of the code that an instance is compared with", () => {
    expect.assertions(2);
    if (refused instanceof LicetError) {
      // @ts-expect-error without its code an error may have other details
      expect(refused.details.status).toBe(400);
      if (refused.code === "GATEWAY_REFUSED") {
        expect(refused.details.status).toBe(400);
      }
    }
  });

  it("must be given where the code needs them", () => {
    // @ts-expect-error LEDGER_MISSING needs the path of the ledger
    const error = new LicetError("LEDGER_MISSING", "there is no ledger");
    expect(error.details).toEqual({});
    // @ts-expect-error a path is a text
    new LicetError("LEDGER_MISSING", "there is no ledger", { details: { path: 7 } });
  });

  it("may be left out where the code needs none", () => {
    expect(new LicetError("USAGE_INVALID", "no").details).toEqual({});
  });

  it("are declared for each code", () => {
    expectTypeOf<keyof ErrorDetailsByCode>().toEqualTypeOf<ErrorCode>();
  });
});

it("an error is an Error with a name, and says in JSON what happened", () => {
  const error = new LicetError("MONEY_INVALID", "it is not an amount", {
    hint: "Write it.",
    details: { reason: "empty" },
  });
  expect(error).toBeInstanceOf(Error);
  expect(String(error)).toBe("LicetError: it is not an amount");
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    code: "MONEY_INVALID",
    message: "it is not an amount",
    hint: "Write it.",
    details: { reason: "empty" },
  });
});

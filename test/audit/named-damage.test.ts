import { beforeAll, expect, test } from "vitest";
import { ACT_DAMAGE } from "./act-damage.ts";
import { ASKED_FOR_DAMAGE } from "./asked-for-damage.ts";
import { auditAfter, createLedgerBytes } from "./audited-world.ts";
import { CONTENT_DAMAGE } from "./content-damage.ts";
import { LIST_DAMAGE } from "./list-damage.ts";
import { NAMED_DAMAGE } from "./named-damage.ts";
import { fillWithAll } from "./scenarios.ts";

let world: Buffer;
beforeAll(async () => {
  world = await createLedgerBytes(fillWithAll);
});

test.each([...NAMED_DAMAGE, ...ACT_DAMAGE, ...CONTENT_DAMAGE, ...LIST_DAMAGE, ...ASKED_FOR_DAMAGE])(
  "the audit names %s",
  (_name, sql, promise, words) => {
    const { violations } = auditAfter(world, sql);
    expect(violations).toContainEqual({ promise, detail: expect.stringMatching(words) });
  },
);

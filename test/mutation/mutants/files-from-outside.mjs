/**
 * What comes in files from outside: invoices, ledgers that were handed over, HTML, configurations. Each names the suite that has to notice.
 * @type {readonly import("../mutants.mjs").Mutant[]}
 */
export const FILES_FROM_OUTSIDE_MUTANTS = [
  {
    name: "the invoice line of a settled purchase resolves a doubt",
    promise: 3,
    suite: "test/component/agent/invoice-agent.test.ts",
    file: "src/agent/invoice-agent.ts",
    find: 'charged: ["settled", "started", "in_doubt"],',
    replace: 'charged: ["in_doubt", "started", "settled"],',
  },
  {
    name: "a line of what was not charged resolves another doubt each time that it is applied",
    promise: 3,
    suite: "test/component/agent/invoice-agent.test.ts",
    file: "src/agent/invoice-agent.ts",
    find: 'notCharged: ["released", "in_doubt"],',
    replace: 'notCharged: ["in_doubt"],',
  },
  {
    name: "two lines of an invoice account for one purchase",
    promise: 3,
    suite: "test/component/agent/invoice-agent.test.ts",
    file: "src/agent/invoice-agent.ts",
    find: "    taken.add(purchaseId);\n",
    replace: "",
  },
  {
    name: "what somebody added to a ledger is not damage",
    promise: 1,
    suite: "test/cli/restore.test.ts",
    file: "src/ledger/sqlite/engine/expected-schema.ts",
    find: "    if (own === undefined) {\n",
    replace: "    if (own === undefined) {\n      continue;\n    }\n    if (own === undefined) {\n",
  },
  {
    name: "a copy that was handed over is restored with its triggers",
    promise: 1,
    suite: "test/cli/restore.test.ts",
    file: "src/ledger/sqlite/copies/copy-file.ts",
    find: "    if (isHandedOver) {\n",
    replace: "    if (isHandedOver && false) {\n",
  },
  {
    name: "a restored copy is accepted with a trigger that came after the restoration",
    promise: 1,
    suite: "test/cli/restore.test.ts",
    file: "src/ledger/sqlite/copies/copy-operations.ts",
    find: "    return read((): CopyRisks | null => {\n      assertOwnSchema(db, path);\n",
    replace: "    return read((): CopyRisks | null => {\n",
  },
  {
    name: "a paragraph that begins with a link of code is a link definition, and its text is lost",
    promise: 4,
    suite: "test/unit/content/emphasis.test.ts",
    file: "src/content/markdown-rules.ts",
    find: "writeEmphasis(spans.unquoteDefinitions(markdown))",
    replace: "writeEmphasis(markdown)",
  },
  {
    name: "the content hash of Markdown files has another form than that of all others",
    promise: 4,
    suite: "test/cli/export.test.ts",
    file: "src/cli/export/front-matter.ts",
    find: "    contentHash: document.contentHash,\n",
    replace: "    contentHash: hash,\n",
  },
  {
    name: "the interface requires properties that it does not declare",
    promise: 7,
    suite: "test/component/serve/api/openapi.test.ts",
    file: "src/serve/api/openapi.ts",
    find: "zodSchema instanceof z.ZodRecord && jsonSchema.required !== undefined",
    replace: "zodSchema instanceof z.ZodRecord && jsonSchema.required === null",
  },
];

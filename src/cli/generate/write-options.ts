/** `npm run schema:generate` writes docs/options.md. */
import { writeFileSync } from "node:fs";
import type { CliIo } from "../cli-io.ts";
import { createProgram } from "../program.ts";
import { renderOptionsReference } from "./options-reference.ts";

const io = { version: "", stdout: { columns: () => 80 }, stderr: { columns: () => 80 } } as unknown as CliIo;
const { command } = await createProgram(io, { out: "", err: "" }, [], {});
writeFileSync("docs/options.md", renderOptionsReference(command));

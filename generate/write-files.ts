/** `npm run schema:generate` writes what is made from the program, below the current directory. */
import { writeFileSync } from "node:fs";
import type { CliIo } from "../src/cli/cli-io.ts";
import { createProgram } from "../src/cli/program.ts";
import { renderAgentReference } from "./agent-reference.ts";
import { CONFIG_FILES } from "./config-files.ts";
import { renderOpenApi } from "./openapi.ts";
import { renderOptionsReference } from "./options-reference.ts";
import { renderServiceReference } from "./service-reference.ts";

for (const [path, render] of Object.entries(CONFIG_FILES)) {
  writeFileSync(path, render());
}
const openApi = renderOpenApi();
writeFileSync("docs/openapi.json", openApi);
writeFileSync("docs/service-reference.md", renderServiceReference(openApi));
writeFileSync("docs/reference.md", renderAgentReference());

const io = { version: "", stdout: { columns: () => 80 }, stderr: { columns: () => 80 } } as unknown as CliIo;
const { command } = await createProgram(io, { out: "", err: "" }, ["completion"], {});
writeFileSync("docs/options.md", renderOptionsReference(command));

/** `npm run schema:generate` writes docs/openapi.json, which the service serves, and docs/reference.md. */
import { writeFileSync } from "node:fs";
import { renderAgentReference } from "../../../agent/generate/agent-reference.ts";
import { renderOpenApi } from "./openapi.ts";

writeFileSync("docs/openapi.json", renderOpenApi());
writeFileSync("docs/reference.md", renderAgentReference());

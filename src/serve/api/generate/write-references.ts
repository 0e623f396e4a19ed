/** `npm run schema:generate` writes docs/openapi.json, which the service serves, docs/reference.md and docs/service-reference.md. */
import { writeFileSync } from "node:fs";
import { renderAgentReference } from "../../../agent/generate/agent-reference.ts";
import { renderServiceReference } from "../../generate/service-reference.ts";
import { renderOpenApi } from "./openapi.ts";

const openApi = renderOpenApi();
writeFileSync("docs/openapi.json", openApi);
writeFileSync("docs/service-reference.md", renderServiceReference(openApi));
writeFileSync("docs/reference.md", renderAgentReference());

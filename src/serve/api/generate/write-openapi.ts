/** `npm run schema:generate` writes docs/openapi.json. The service serves that file. */
import { writeFileSync } from "node:fs";
import { renderOpenApi } from "./openapi.ts";

writeFileSync("docs/openapi.json", renderOpenApi());

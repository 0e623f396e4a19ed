/** The routes of the web interface: one for each page of `PAGES`, and the files that they load. */
import type { FastifyInstance } from "fastify";
import { checkRequestPart } from "../api/request-check.ts";
import type { Keys } from "../http/keys.ts";
import type { ReaderLines } from "../http/reader-lines.ts";
import type { ServiceContext } from "../service-part.ts";
import { addActions } from "./actions/action-routes.ts";
import { addAssetRoutes, loadAssets } from "./assets.ts";
import { addDocumentText } from "./document-text.ts";
import { type FrameContext, layout } from "./html/layout.ts";
import { addLive } from "./live.ts";
import type { Page } from "./page.ts";
import { sendPage } from "./page-headers.ts";
import { createPageReadings, type PageReadings } from "./page-readings.ts";
import { PAGES } from "./pages/all-pages.ts";
import { readPage, toRouteSchema } from "./read-page.ts";
import { takeForms } from "./session/forms.ts";
import { addLogin } from "./session/login.ts";
import { viewerOf } from "./session/viewer.ts";
import { addStatementFile } from "./statement-file.ts";
import { createWrittenBodies } from "./written-bodies.ts";

export function createFrameContext(): FrameContext {
  return { pages: PAGES, assets: loadAssets() };
}

/** What the routes share beside the service. */
interface WebDeps {
  readonly frame: FrameContext;
  readonly keys: Keys;
  readonly lineOf: ReaderLines;
}

export function addWebRoutes(root: FastifyInstance, context: ServiceContext, { frame, keys, lineOf }: WebDeps): void {
  root.register(async (app) => {
    takeForms(app);
    app.setValidatorCompiler(checkRequestPart);
    app.addHook("preValidation", async (request) => {
      request.query = withoutEmpty(request.query as Record<string, unknown>);
    });
    addAssetRoutes(app, frame.assets);
    addLogin(app, { ...keys, clock: context.resources.clock, frame });
    addLive(app, context);
    const { resources, runs } = context;
    const readings = createPageReadings({ ...resources, lineOf, isBusy: () => runs.live().length > 0 });
    addStatementFile(app, context, readings);
    addActions(app, { context, frame, readings });
    addDocumentText(app, context, readings);
    for (const page of frame.pages) {
      addPage(app, page, { context, frame, readings });
    }
  });
}

interface WebContext {
  readonly context: ServiceContext;
  readonly frame: FrameContext;
  readonly readings: PageReadings;
}

function addPage(app: FastifyInstance, page: Page, { context, frame: frameContext, readings }: WebContext): void {
  const writeBody = createWrittenBodies();
  app.route({
    method: "GET",
    url: page.path,
    schema: toRouteSchema(page.input),
    handler: async (request, reply) => {
      const asked = { params: request.params, query: request.query };
      const key = `${page.path} ${JSON.stringify(asked)}`;
      const report = await readPage(page, context, asked, (work) => readings.read(request.tokenName, key, work));
      const viewer = viewerOf(request);
      const now = context.resources.clock.now();
      const title = page.title(report, asked);
      const view = { asked, mayAct: viewer.mayAct, now, address: request.url };
      const body = writeBody(report, `${view.mayAct} ${view.address}`, () => page.body(report, view));
      const commands = page.commands(asked, now);
      const frame = { title, body, commands, path: page.path, viewer, now, isLive: page.isLive };
      return sendPage(reply, layout(frame, frameContext));
    },
  });
}

/** A form sends the fields that nobody filled in as empty texts. */
function withoutEmpty(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
}

/** The routes of the web interface: one for each page of `PAGES`, and the files that they load. */
import type { FastifyInstance } from "fastify";
import { createReports } from "../../agent/reports/reports.ts";
import { checkRequestPart } from "../api/request-check.ts";
import type { Keys } from "../http/keys.ts";
import type { ServiceContext } from "../service-part.ts";
import { addActions } from "./actions/action-routes.ts";
import { addAssetRoutes, loadAssets } from "./assets.ts";
import { addDocumentText } from "./document-text.ts";
import { type FrameContext, layout } from "./html/layout.ts";
import { addLive } from "./live.ts";
import type { Page } from "./page.ts";
import { sendPage } from "./page-headers.ts";
import { PAGES } from "./pages/all-pages.ts";
import { takeForms } from "./session/forms.ts";
import { addLogin } from "./session/login.ts";
import { viewerOf } from "./session/viewer.ts";
import { addStatementFile } from "./statement-file.ts";

export function createFrameContext(): FrameContext {
  return { pages: PAGES, assets: loadAssets() };
}

/** What the routes share beside the service. */
interface WebDeps {
  readonly frame: FrameContext;
  readonly keys: Keys;
}

export function addWebRoutes(root: FastifyInstance, context: ServiceContext, { frame, keys }: WebDeps): void {
  root.register(async (app) => {
    takeForms(app);
    app.setValidatorCompiler(checkRequestPart);
    app.addHook("preValidation", async (request) => {
      request.query = withoutEmpty(request.query as Record<string, unknown>);
    });
    addAssetRoutes(app, frame.assets);
    addLogin(app, { ...keys, clock: context.resources.clock, frame });
    addLive(app, context);
    addStatementFile(app, context);
    addActions(app, { context, frame });
    addDocumentText(app, context);
    for (const page of frame.pages) {
      addPage(app, page, { context, frame });
    }
  });
}

interface WebContext {
  readonly context: ServiceContext;
  readonly frame: FrameContext;
}

function addPage(app: FastifyInstance, page: Page, { context, frame: frameContext }: WebContext): void {
  const { params, query } = page.input;
  app.route({
    method: "GET",
    url: page.path,
    schema: { ...(params === undefined ? {} : { params }), ...(query === undefined ? {} : { querystring: query }) },
    handler: async (request, reply) => {
      const asked = { params: request.params, query: request.query };
      const report = await readPage(page, context, asked);
      const viewer = viewerOf(request);
      const now = context.resources.clock.now();
      const title = page.title(report, asked);
      const body = page.body(report, { asked, viewer, now, address: request.url });
      const commands = page.commands(asked, now);
      const frame = { title, body, commands, path: page.path, viewer, now, isLive: page.isLive };
      return sendPage(reply, layout(frame, frameContext));
    },
  });
}

/** Everything that a page shows is of one state of the ledger. */
function readPage(page: Page, context: ServiceContext, asked: unknown): Promise<unknown> {
  const { agent: _agent, resources, ...service } = context;
  return resources.snapshots.read((ledger) =>
    page.read({ ...createReports(resources, ledger), now: resources.clock.now(), service }, asked),
  );
}

/** A form sends the fields that nobody filled in as empty texts. */
function withoutEmpty(given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
}

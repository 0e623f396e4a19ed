/** Fills a vector store: a loader in the shape of LangChain.js gives what is new, and nothing is lost when the store fails. */
import { BaseDocumentLoader } from "@langchain/core/document_loaders/base";
import { Document } from "@langchain/core/documents";
import { type Agent, createAgent, type DeliveredDocument, loadConfig } from "licet";

/** In place of a vector store of yours: `addDocuments` of LangChain.js. */
const store = new Map<string, Document>();
const addDocuments = async (documents: readonly Document[]) => {
  for (const document of documents) {
    store.set(document.metadata.source, document);
  }
};

const BATCH = 100;

class LicetLoader extends BaseDocumentLoader {
  readonly #agent: Agent;
  readonly #cursor: string;
  #given: DeliveredDocument[] = [];

  constructor(agent: Agent, cursor: string) {
    super();
    this.#agent = agent;
    this.#cursor = cursor;
  }

  /** At most `BATCH` new documents. An empty list: nothing is new. */
  async load(): Promise<Document[]> {
    this.#given = [];
    for await (const document of this.#agent.documents({ cursor: this.#cursor, deriveMarkdown: true })) {
      if (this.#given.push(document) === BATCH) {
        break;
      }
    }
    return this.#given.map(toDocument);
  }

  /** Call it when the documents of the last `load` are stored. */
  async acknowledge(): Promise<void> {
    await Promise.all(this.#given.map((document) => document.ack()));
  }
}

function toDocument({ url, title, markdown, purchaseId, license, contentHash }: DeliveredDocument): Document {
  return new Document({
    id: url,
    pageContent: markdown ?? "",
    metadata: { source: url, title, purchaseId, contentHash, license: license?.licenseType ?? null },
  });
}

const agent = createAgent(await loadConfig());
try {
  const loader = new LicetLoader(agent, "vector-store");
  for (let documents = await loader.load(); documents.length > 0; documents = await loader.load()) {
    await addDocuments(documents);
    await loader.acknowledge();
  }
  console.log(`${store.size} documents are new in the store`);
} finally {
  await agent.close();
}

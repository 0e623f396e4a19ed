/** Writes new documents to an S3-compatible store, an object a document. Only `ObjectStore` knows which store it is. */
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { createAgent, loadConfig } from "licet";

interface ObjectStore {
  /** Replaces what is there under the key. */
  put(key: string, body: string): Promise<void>;
}

/** The endpoint and the key come from AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. */
function createS3Store(bucket: string): ObjectStore {
  const client = new S3Client({ region: "us-east-1", forcePathStyle: true });
  return {
    put: async (key, body) => {
      await client.send(
        new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: "application/json" }),
      );
    },
  };
}

const store = createS3Store("documents");
const agent = createAgent(await loadConfig());
try {
  let documents = 0;
  for await (const { ack, ...document } of agent.documents({ cursor: "object-store" })) {
    // The key is the same at a second attempt: a document that came twice is there once.
    await store.put(`${document.host}/${document.purchaseId}.json`, JSON.stringify(document));
    await ack();
    documents++;
  }
  console.log(`${documents} documents are new in the bucket`);
} finally {
  await agent.close();
}

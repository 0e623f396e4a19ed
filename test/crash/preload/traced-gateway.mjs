/** Makes each call of the compiled gateway client a step. */
import { GatewayClient } from "../../../dist/crash/gateway-client.js";
import { tracedStep } from "./steps.mjs";

const CALLS = ["listCatalog", "quoteBatch", "issueContentToken", "issueIndexingToken", "fetchContent", "reportUsage"];

for (const name of CALLS) {
  const call = GatewayClient.prototype[name];
  GatewayClient.prototype[name] = function traced(...args) {
    return tracedStep(name, call.bind(this))(...args);
  };
}

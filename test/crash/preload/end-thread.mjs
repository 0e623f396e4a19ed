/** Ends the embedded queue's thread when it is asked its nth query, as a crash of its WebAssembly would. */
import { Worker } from "node:worker_threads";

export function endThreadAtQuery(nth) {
  let queries = 0;
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function counted(message, ...rest) {
    postMessage.call(this, message, ...rest);
    if (typeof message?.text === "string" && ++queries === nth) {
      void this.terminate();
    }
  };
}

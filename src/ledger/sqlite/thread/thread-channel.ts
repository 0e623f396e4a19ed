import type { MessagePort, Worker } from "node:worker_threads";
import type { Channel } from "../../messages/calls.ts";
import type { Message } from "../../messages/message.ts";

/** A channel to another thread: the text is copied, and the bytes change hands. */
export function toChannel(port: MessagePort | Worker): Channel {
  return {
    send({ text, bytes }) {
      if (bytes === null) {
        port.postMessage(text);
      } else {
        port.postMessage([text, bytes], [bytes.buffer]);
      }
    },
    listen(receive) {
      port.on("message", (posted: string | [string, Message["bytes"]]) => {
        receive(typeof posted === "string" ? { text: posted, bytes: null } : { text: posted[0], bytes: posted[1] });
      });
      // To listen is to hold.
      port.unref();
    },
    hold: () => port.ref(),
    release: () => port.unref(),
  };
}

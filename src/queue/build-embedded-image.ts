/** Run at the end of a build: makes the image that lets the embedded queue start in a second instead of five. */
import { buildEmbeddedImage } from "./embedded-transport.ts";

await buildEmbeddedImage();

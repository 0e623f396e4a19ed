// The package's own types import another module and need the DOM library, so only the used parts are declared here.
declare module "@mixmark-io/domino" {
  export function createDocument(html: string, force: boolean): unknown;
}

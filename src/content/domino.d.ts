// The package's own types name another module and need the DOM library; only what is used here is declared.
declare module "@mixmark-io/domino" {
  export function createDocument(html: string, force: boolean): unknown;
}

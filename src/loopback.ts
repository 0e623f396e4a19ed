import { BlockList, isIP } from "node:net";

/** Whether only this machine reaches the address. An IPv6 address may be in brackets, as in a URL. */
export function isLoopback(host: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  loopback.addAddress("::1", "ipv6");
  const address = host.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(address);
  return family === 0 ? address.toLowerCase() === "localhost" : loopback.check(address, family === 6 ? "ipv6" : "ipv4");
}

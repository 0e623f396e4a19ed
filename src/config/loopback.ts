import { BlockList, isIP } from "node:net";

/** Whether only this machine reaches the address. */
export function isLoopback(host: string): boolean {
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8, "ipv4");
  loopback.addAddress("::1", "ipv6");
  const family = isIP(host);
  return family === 0 ? host.toLowerCase() === "localhost" : loopback.check(host, family === 6 ? "ipv6" : "ipv4");
}

/**
 * Shares of a CPU profile by stage. Each sample belongs to the innermost licet frame on its stack that names a stage. Work that no
 * stage requested (queue, gateway transport, garbage collection, idle time) is listed under its own name.
 */
const STAGE_OF_FILE = [
  [/(walk|catalog|freshness|page-url|last-mod)[^/]*\.js$/, "walk"],
  [/(quote|rates?|bulk-rates|license)[^/]*\.js$/, "quote"],
  [/(decide|policy|match-rule|budget|offers|fee|verdict)[^/]*\.js$/, "decide"],
  [/(settle-purchase|settle|content-hash|derive-markdown)\.js$/, "settle"],
  [/(acquire|probe|start-purchase|token|keep-lease|release)[^/]*\.js$/, "acquire"],
  [/(report|usage|receipt|reconcile|freeze-batch|settle-batch|flusher)[^/]*\.js$/, "report"],
  [/\/src\/gateway\/|\/undici\/|\/(net|http|stream|_http)[^/]*$/, "gateway client"],
  [/\/src\/queue\/|\/bullmq\/|\/ioredis\//, "queue"],
  [/\/src\/ledger\/|better-sqlite3/, "ledger commit"],
];

export function shareByStage(profile) {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const names = new Map();
  const nameOf = (id) => {
    if (!names.has(id)) {
      names.set(id, findStage(id));
    }
    return names.get(id);
  };
  const findStage = (id) => {
    const { functionName, url } = nodes.get(id).callFrame;
    if (functionName === "(idle)" || functionName === "(garbage collector)") {
      return functionName.slice(1, -1);
    }
    const stage = STAGE_OF_FILE.find(([pattern]) => pattern.test(url))?.[1];
    const parent = parents.get(id);
    return stage ?? (parent === undefined ? "runtime" : nameOf(parent));
  };
  const micros = new Map();
  let total = 0;
  profile.samples.forEach((id, index) => {
    const spent = profile.timeDeltas[index] ?? 0;
    micros.set(nameOf(id), (micros.get(nameOf(id)) ?? 0) + spent);
    total += spent;
  });
  return Object.fromEntries(
    [...micros].sort((a, b) => b[1] - a[1]).map(([name, spent]) => [name, Math.round((spent / total) * 1000) / 10]),
  );
}

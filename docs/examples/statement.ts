/** What each licence cost in the month that ended last, and what of it is still in doubt. */
import { createAgent, formatMoney, loadConfig } from "licet";

const agent = createAgent(await loadConfig());

try {
  const { month, complete, lines } = await agent.statement({ by: "license" });
  console.log(complete ? month : `${month}, not complete`);
  for (const { group, currency, total, doubts } of lines) {
    if (currency !== null) {
      const charged = formatMoney({ micros: total.chargedMicros, currency });
      const inDoubt = formatMoney({ micros: doubts.openAtEnd.setAsideMicros, currency });
      console.log(`${group}: ${charged} charged, ${inDoubt} in doubt`);
    }
  }
} finally {
  await agent.close();
}

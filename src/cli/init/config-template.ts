/** The section `policies` of `licet init`. */
export const PLAIN_POLICIES = `policies:
  standard:
    intent: content # content: paid, may be shown and used · indexing: for search indexes only, no price
    format: markdown # markdown · html · both (HTML is bought once, Markdown derived from it)
    prefer: cheapest # among the rates that a rule allows: cheapest · most-permissive
    # The first rule that matches a rate decides; a rate that no rule matches is denied.
    rules:
      - deny: { permissions: [CITATION_REQUIRED] }
      - allow: { license: ON_DEMAND_FULL_USE_LICENSE, maxPrice: 0.03 USD }
      - allow: { license: ON_DEMAND_LICENSE, maxPrice: 0.02 USD }
    # tests: [ … ]               # what the rules must decide; \`licet init --policy\` writes some
`;

/**
 * The configuration that `licet init` writes: small, with comments, and ready for `licet sandbox`.
 * @param schema where an editor finds the JSON Schema, seen from the configuration
 * @param policies the section of that name, with its line end
 */
export const renderConfigTemplate = (schema: string, policies: string) => `# yaml-language-server: $schema=${schema}
# What licet may buy, from whom, and for how much. \`licet check\` says what is wrong with it.

gateway:
  # Address, key and AgentID come from the environment, so that this file can be shared (see .env.example).
  baseUrl: "\${LICET_GATEWAY_URL}"
  apiKey: "\${LICET_API_KEY}"
  agentId: "\${LICET_AGENT_ID}"
  # The gateway's own name, as it stands in its header names (ServiceKey, ServiceToken).
  service: Service

# Everything that was decided, paid, fetched and reported. Back it up.
ledger:
  path: ./data/licet.sqlite
  # Take the # away after the first run: a path that is mistyped later is then an error, and begins no second ledger that buys
  # everything again.
  # mustExist: true

# Nothing is bought without a budget in its currency. Every budget that covers a page must have room for it.
budgets:
  - { scope: all, per: month, limit: 10 USD }
  - { scope: run, limit: 1 USD } # each run on its own

${policies}
sites:
  - host: demo.example # the site that \`licet sandbox\` serves; put your own here
    policy: standard
    # schedule: "0 */6 * * *"    # cron, UTC; for \`licet serve\`
    # include: ["/news/**"]      # globs on the path
    # exclude: ["/tag/**"]
    # maxPages: 1000             # per run

reporting:
  # Which uses are reported: \`fetch\` is the use that a paid fetch itself is, \`use\` any later one (\`licet use\`).
  kinds: [fetch, use]
  # Which of them the gateway charges when they are reported. A fetch was paid when it was made: with fetch in this list
  # each page is paid twice. Put it there only if your agreement says so.
  billed: [use]
`;

/** Values for `licet sandbox`. */
export const ENV_TEMPLATE = `# Copy to .env, fill in, and keep .env out of version control. licet reads .env beside licet.config.yaml by itself; a variable
# of the environment takes precedence.
# These values fit \`licet sandbox\`.
LICET_GATEWAY_URL=http://127.0.0.1:8402
LICET_API_KEY=sandbox-key
LICET_AGENT_ID=licet-demo
`;

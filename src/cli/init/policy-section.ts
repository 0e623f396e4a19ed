/**
 * The section `policies` of `licet init --policy`: for a person who reviews what may be bought, and does not read programs. Each rule has a
 * sentence, and tests show what the rules do.
 */
export const REVIEWED_POLICIES = `policies:
  # What may be bought, and under which licence. Each page has rates: a licence with a price. For each rate, the rules are read from the
  # top, and the first one whose conditions all hold decides that rate. A rate that no rule matches is denied. Of the rates that are
  # allowed, one is bought: the cheapest.
  standard:
    intent: content # the text is paid for, and may be shown and used as the licence says
    format: markdown
    prefer: cheapest
    rules:
      # 1. Nothing that has to be cited. A licence whose permissions the gateway does not list counts as one that has to be.
      - deny: { permissions: [CITATION_REQUIRED] }
      # 2. The whole text, for at most three cents.
      - allow: { license: ON_DEMAND_FULL_USE_LICENSE, maxPrice: 0.03 USD }
      # 3. Parts of the text, for at most two cents.
      - allow: { license: ON_DEMAND_LICENSE, maxPrice: 0.02 USD }
    # What these rules must do. \`licet check\` runs the tests, \`licet check --offline\` does so without a gateway. Each test is a page with its
    # rates, and the verdict: \`allow RULE\` or \`deny REASON RULE\`. Rules count from 1. Change a rule, and a test says what else has changed.
    tests:
      # The whole text for two cents is bought by rule 2 ...
      - url: https://demo.example/news/story
        rates:
          - { license: ON_DEMAND_FULL_USE_LICENSE, price: 0.02 USD, permissions: [FULL_USE, PARTIAL_USE] }
        expect: allow 2
      # ... but not for four cents,
      - url: https://demo.example/news/story
        rates:
          - { license: ON_DEMAND_FULL_USE_LICENSE, price: 0.04 USD, permissions: [FULL_USE, PARTIAL_USE] }
        expect: deny no_rule_matched
      # and not when it has to be cited.
      - url: https://demo.example/news/story
        rates:
          - { license: ON_DEMAND_FULL_USE_LICENSE, price: 0.02 USD, permissions: [FULL_USE, CITATION_REQUIRED] }
        expect: deny denied_by_rule 1
      # Where both licences are allowed, the cheaper one is bought: here the one of rule 3.
      - url: https://demo.example/news/story
        rates:
          - { license: ON_DEMAND_FULL_USE_LICENSE, price: 0.03 USD, permissions: [FULL_USE, PARTIAL_USE] }
          - { license: ON_DEMAND_LICENSE, price: 0.01 USD, permissions: [PARTIAL_USE] }
        expect: allow 3 at 0.01 USD
      # A licence that was negotiated with one publisher is not bought: no rule names it.
      - url: https://demo.example/news/story
        rates:
          - { license: CUSTOM_LICENSE, cuid: example-licence, price: 0.01 USD, permissions: [FULL_USE] }
        expect: deny no_rule_matched
`;

/** Something that a person should be told, once. */
export const ALERT_KINDS = [
  "budget_80",
  "budget_exhausted",
  "run_failed",
  "slot_failed",
  "in_doubt",
  "open_item",
  "unreported_for",
  "gateway_away",
  "waiting",
  "ledger_low_disk",
] as const;
/** What an alert is about. */
export type AlertKind = (typeof ALERT_KINDS)[number];
/** What `alerts` of the configuration names by a word. */
export type AlertEvent = Exclude<AlertKind, "unreported_for">;

/** What a document says beside its message: plain JSON. */
export type AlertDetails = Readonly<Record<string, unknown>>;

/** What an alert is about, so that whoever gets it can begin at once. Null: it is about none, or about several. */
export interface AlertAbout {
  /** The host of a site. */
  readonly site: string | null;
  readonly run: string | null;
  /** Why: an error code, a site stop, a kind of open item or a reason of doubt. */
  readonly code: string | null;
  /** The first command to give. */
  readonly command: string | null;
}

export interface Alert extends AlertAbout {
  readonly kind: AlertKind;
  /** Names the event: the ledger keeps one alert of a key. */
  readonly key: string;
  /** One sentence, without text from the network. */
  readonly message: string;
  readonly details: AlertDetails;
  /** When it happened. A receiver that was configured later is not told. A condition that lasts happens now. Epoch ms. */
  readonly at: number;
  /** Not raised when an alert has a key in this range: it tells of the same episode. */
  readonly unless: { readonly from: string; readonly below: string } | null;
  /** Receivers of this duration alone. Null for other kinds. */
  readonly unreportedForMs: number | null;
  /** Only written down as known: another alert of the same scan tells of it too. */
  readonly isSilent: boolean;
}

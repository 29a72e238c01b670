// The data of a bar chart.

export interface Bars {
  key: string;
  label: string;
  colour: string;
  /** The cost in each bucket; negative for credits. */
  nanos: readonly bigint[];
}

export interface Bucket {
  timestamp: string;
  /** The label under the axis; empty if there is no room. */
  tick: string;
  /** The title of the tooltip. */
  title: string;
}

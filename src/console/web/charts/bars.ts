// What a chart of bars shows.

export interface Bars {
  key: string;
  label: string;
  colour: string;
  /** What it cost in each bucket; less than nothing is a credit. */
  nanos: readonly bigint[];
}

export interface Bucket {
  timestamp: string;
  /** Under the axis; empty where there is no room for one. */
  tick: string;
  /** Above the amounts that show on hover. */
  title: string;
}

// The tabs of an image besides the overview, by their last part of the URL.
export const imageTabTitles = { tags: 'Tags', shares: 'Shares', activity: 'Activity' } as const;

export type ImageTab = keyof typeof imageTabTitles;

export const imageTabs = ['tags', 'shares', 'activity'] as const satisfies readonly ImageTab[];

export function imageTabIn(text: string | undefined): ImageTab | undefined {
  return imageTabs.find((tab) => tab === text);
}

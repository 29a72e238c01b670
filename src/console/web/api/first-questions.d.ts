// Made by the build from the documents of the console.
declare module 'virtual:first-questions' {
  export const firstQuestions: Record<'Viewer' | 'States' | 'ToneCounts', string>;
}

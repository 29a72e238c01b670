/** Adds milliseconds to a timestamp, as the scalar DateTime has them. */
export function dateTime(text: string): string {
  return text.includes('.') ? text : text.replace('Z', '.000Z');
}

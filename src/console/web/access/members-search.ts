import { newSearch } from '../frame/new-in-url.js';
import type { NewSearch } from '../frame/new-in-url.js';
import { textIn } from '../lists/search-text.js';
import type { SearchText } from '../lists/search-text.js';

/** The roles of members, by their value in the URL. */
const roleWords = { admin: 'ADMIN', member: 'MEMBER', viewer: 'VIEWER' } as const;

type RoleWord = keyof typeof roleWords;

/** The state of the members view in the URL. */
export interface MembersSearch extends NewSearch {
  /** The workspace; the account if omitted. */
  in?: string;
  q?: string;
  role?: RoleWord;
  /** Cursor of the page. */
  after?: string;
}

export function membersSearch(search: SearchText): MembersSearch {
  const [workspace, q, after] = [textIn(search, 'in'), textIn(search, 'q'), textIn(search, 'after')];
  const role = textIn(search, 'role');
  return {
    ...newSearch(search),
    ...(workspace === undefined ? {} : { in: workspace }),
    ...(q === undefined ? {} : { q }),
    ...(role !== undefined && isRoleWord(role) ? { role } : {}),
    ...(after === undefined ? {} : { after }),
  };
}

/** The role of the API. */
export function roleOf(word: RoleWord): (typeof roleWords)[RoleWord] {
  return roleWords[word];
}

export function isRoleWord(text: string): text is RoleWord {
  return Object.hasOwn(roleWords, text);
}

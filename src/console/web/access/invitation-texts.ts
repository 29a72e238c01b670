import { settings } from '../session/settings.js';
import type { Role } from './member-queries.js';

const allowances: Record<Role, (where: string) => string> = {
  ADMIN: (where) => `can change everything in ${where}, and its members`,
  MEMBER: (where) => `can create, change and delete resources in ${where}`,
  VIEWER: (where) => `can see ${where} and change nothing`,
};

/** What a role allows, such as "can see the workspace production and change nothing". */
export function allowanceOf(role: Role, workspace: string | null | undefined): string {
  return allowances[role](workspace == null ? 'all workspaces of the account' : `the workspace ${workspace}`);
}

/** The page on which an invited user signs in and answers. It also works for users who belong to no account yet. */
export function invitationLink(id: string): string {
  return `${settings.publicUrl.replace(/\/$/, '')}/v0/oauth/account?${new URLSearchParams({ invitation: id })}`;
}

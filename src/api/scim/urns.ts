/** The schemas of users and groups (RFC 7643, sections 4.1 and 4.2). */
export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** The messages of RFC 7644, section 3. */
export const listResponse = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const patchOperation = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const searchRequest = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';

export {
  AuthorizationServerMismatchError,
  auth,
  checkResourceAllowed,
  computeScopeUnion,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
  isStrictScopeSuperset,
  resourceUrlFromServerUrl,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client';

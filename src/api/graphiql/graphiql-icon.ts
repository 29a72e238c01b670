/** The mark in the corner and on the browser's tab. */
export const iconSvg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="28" height="28" role="img" aria-label="">' +
  '<rect width="32" height="32" rx="8" fill="#3b4bdb"/><g fill="#fff"><rect x="8" y="8" width="16" height="4" rx="2"/>' +
  '<rect x="8" y="14" width="16" height="4" rx="2" opacity=".75"/>' +
  '<rect x="8" y="20" width="16" height="4" rx="2" opacity=".5"/></g></svg>';

/**
 * The script that starts GraphiQL in the browser. It is a separate file, so that the page needs no inline script, and
 * reads the settings of this server from the JSON in the page.
 *
 * By default, GraphiQL writes every keystroke of a query into the page's URL, which becomes too long to load again.
 * An empty `onEditQuery` prevents that: the browser stores the tabs in localStorage.
 */
export const bootScript = `'use strict';
(() => {
  const settings = JSON.parse(document.getElementById('settings').textContent);
  self.MonacoEnvironment = {
    globalAPI: false,
    getWorkerUrl: (_moduleId, label) => settings.workers[label],
  };
  YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
    ...settings.options,
    onEditQuery: () => {},
  });
})();
`;

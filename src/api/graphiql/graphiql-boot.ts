/**
 * The script that starts GraphiQL in the browser. It is a file of its own, so that the page needs no inline
 * script, and it reads what is particular to this server from the JSON that the page carries.
 *
 * GraphiQL would write every keystroke of a query into the page's address, until one is too long to load again.
 * An `onEditQuery` that does nothing takes the place of that: the browser keeps the tabs in localStorage anyway.
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

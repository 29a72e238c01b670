/**
 * The script that starts GraphiQL in the browser. It is a file of its own, so that the page needs no inline
 * script, and it reads what is particular to this server from the JSON that the page carries.
 *
 * GraphiQL writes the headers of every query into its history in localStorage, whatever `shouldPersistHeaders`
 * says. They hold a credential, so the storage given to it here drops them, and reads the default ones back.
 * It also writes every keystroke of a query into the address, until a long one makes an address too long to
 * reload; an `onEditQuery` of our own takes the place of that. The tabs are kept in localStorage anyway.
 */
export const bootScript = `'use strict';
(() => {
  const settings = JSON.parse(document.getElementById('settings').textContent);

  const withHeaders = (text, headers) =>
    JSON.stringify(JSON.parse(text), (key, value) => (key === 'headers' ? headers : value));
  const isHistory = (key) => key === 'graphiql:queries' || key === 'graphiql:favorites';
  const storage = {
    getItem: (key) => {
      const text = localStorage.getItem(key);
      return text !== null && isHistory(key) ? withHeaders(text, settings.options.headers) : text;
    },
    setItem: (key, text) => localStorage.setItem(key, isHistory(key) ? withHeaders(text, null) : text),
    removeItem: (key) => localStorage.removeItem(key),
    clear: () => Object.keys(localStorage).filter((key) => key.startsWith('graphiql:')).forEach(storage.removeItem),
    get length() {
      return Object.keys(localStorage).filter((key) => key.startsWith('graphiql:')).length;
    },
  };

  self.MonacoEnvironment = {
    globalAPI: false,
    getWorkerUrl: (_moduleId, label) => settings.workers[label],
  };
  YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
    ...settings.options,
    storage,
    onEditQuery: () => {},
  });
})();
`;

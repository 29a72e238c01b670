/** By itself, so that it can run before what it renders. */
export { createRoot } from 'react-dom/client';

/** A separate module, so that it can load before the views. */
export { createRoot } from 'react-dom/client';

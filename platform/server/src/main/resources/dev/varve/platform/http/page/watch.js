// Reports when the server is unreachable, and when it is reachable again.

import {wait} from './server.js';

const MILLIS = 2000;

/**
 * Shows a notice from the first request that fails to reach the server until one succeeds; the event
 * 'varve-back' notifies views then.
 */
export function watchServer(server, notice) {
    let watching = false;
    document.addEventListener('varve-gone', async () => {
        if (watching) {
            return;
        }
        watching = true;
        notice.textContent = 'The server does not respond. Retrying…';
        notice.hidden = false;
        do {
            await wait(MILLIS);
        } while (!await isThere(server));
        watching = false;
        notice.hidden = true;
        document.dispatchEvent(new Event('varve-back'));
    });
}

async function isThere(server) {
    try {
        await server.send('/livez', {quiet: true});
        return true;
    } catch (error) {
        return !error.isGone;
    }
}

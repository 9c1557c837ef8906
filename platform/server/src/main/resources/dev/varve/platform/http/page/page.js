// Entry point of the page.

import {h, icon} from './dom.js';
import {Router} from './router.js';
import {Server} from './server.js';
import {listen, sheetButton} from './shortcuts.js';
import {themeButton} from './theme.js';
import {watchServer} from './watch.js';

// Most servers need no key.
const askKey = async (kind, wrong) => (await import('./key.js')).askKey(kind, wrong);
const server = new Server(new URL('.', document.baseURI), askKey);

const keyButton = h('button.quiet', {
    type: 'button',
    title: 'Forget the key',
    'aria-label': 'Forget the key',
    onclick: () => {
        server.forgetKeys();
        location.reload();
    },
}, icon('key'));
keyButton.hidden = !server.hasKey;
document.addEventListener('varve-key', () => {
    keyButton.hidden = !server.hasKey;
});

watchServer(server, document.getElementById('notice'));
document.getElementById('bar-end').append(keyButton, sheetButton(), themeButton());
listen();
if (document.documentElement.dataset.key === 'needed' && !server.hasKey) {
    // Asks for the key at once: requests without it would fail.
    await server.askKey();
}
new Router(document.getElementById('main'), document.getElementById('tabs'), server).start();

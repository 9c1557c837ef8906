// Shows one view at a time, by the part of the address behind '#'.

import {h} from './dom.js';

/**
 * The views. Each is a module with mount(element, server), which may return a promise, and
 * unmount(). It is loaded when it is first looked at.
 */
export const VIEWS = [
    {name: 'chat', title: 'Chat', load: () => import('./views/chat.js')},
    {name: 'placement', title: 'Placement', load: () => import('./views/placement.js')},
    {name: 'cache', title: 'Cache', load: () => import('./views/cache.js')},
    {name: 'requests', title: 'Requests', load: () => import('./views/requests.js')},
    {name: 'speculation', title: 'Speculation', load: () => import('./views/speculation.js')},
];

/** Where a tab remembers that it was loaded again for a view that failed. */
const RELOADED = 'varve.reloaded';

export class Router {
    #main;
    #tabs;
    #server;
    #mounted = null;
    #turn = 0;

    constructor(main, tabs, server) {
        this.#main = main;
        this.#server = server;
        this.#tabs = VIEWS.map(view => h('a', {href: `#/${view.name}`}, view.title));
        tabs.append(...this.#tabs);
    }

    start() {
        addEventListener('hashchange', event => {
            // '#main' is where the skip link leads, not a view.
            if (location.hash === '#main') {
                history.replaceState(null, '', new URL(event.oldURL).hash || '#/chat');
                this.#main.focus();
                return;
            }
            this.#show();
        });
        return this.#show();
    }

    async #show() {
        const name = /^#\/(\w+)/.exec(location.hash)?.[1];
        const view = VIEWS.find(each => each.name === name) ?? VIEWS[0];
        if (this.#mounted?.view === view) {
            return;
        }
        const turn = ++this.#turn;
        VIEWS.forEach((each, index) => {
            if (each === view) {
                this.#tabs[index].setAttribute('aria-current', 'page');
                this.#tabs[index].scrollIntoView?.({block: 'nearest', inline: 'nearest'});
            } else {
                this.#tabs[index].removeAttribute('aria-current');
            }
        });
        document.title = `${view.title} · Varve`;
        try {
            const module = await view.load();
            if (turn !== this.#turn) {
                return;
            }
            this.#unmount();
            const element = h(`div.view.view-${view.name}`);
            this.#main.replaceChildren(element);
            this.#mounted = {view, module};
            viewIsShown();
            await module.mount(element, this.#server);
        } catch (error) {
            if (turn === this.#turn) {
                this.#fail(error, turn);
            }
        }
    }

    #unmount() {
        this.#mounted?.module.unmount();
        this.#mounted = null;
    }

    #fail(error, turn) {
        this.#unmount();
        // Modules of an older page are not there any more after the server was replaced.
        const stale = error instanceof TypeError && /import|module/i.test(error.message);
        this.#main.replaceChildren(h('div.empty', {role: 'alert'},
            h('h1', {}, 'This view cannot be shown'),
            h('p', {}, stale
                ? 'The server is unavailable, or its version differs from this page.'
                : error.message),
            h('button.button', {type: 'button', onclick: () => location.reload()}, 'Reload')));
        if (stale) {
            this.#reloadWhenBack(turn);
        }
    }

    /** Begins anew: a browser may remember for as long as the page that a module was not there. */
    async #reloadWhenBack(turn) {
        const isThere = await this.#server.send('/livez', {quiet: true})
            .then(() => true, error => !error.isGone);
        if (!isThere) {
            await new Promise(resolve => {
                document.addEventListener('varve-back', resolve, {once: true});
            });
        }
        if (turn === this.#turn) {
            reloadOnce();
        }
    }
}

/** Loads the page again, once until a view is shown: it must not go on for ever. */
function reloadOnce() {
    try {
        if (sessionStorage.getItem(RELOADED)) {
            return;
        }
        sessionStorage.setItem(RELOADED, 'yes');
    } catch {
        // A browser that keeps nothing leaves it to its user.
        return;
    }
    location.reload();
}

function viewIsShown() {
    try {
        sessionStorage.removeItem(RELOADED);
    } catch {
        // Nothing was kept.
    }
}

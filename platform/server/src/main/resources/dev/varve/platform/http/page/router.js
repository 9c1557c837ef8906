// Shows one view at a time, selected by the fragment of the address.

import {h} from './dom.js';

/**
 * The views. Each is a module with mount(element, server), which may return a promise, and
 * unmount(). It is loaded when it is shown for the first time.
 */
export const VIEWS = [
    {name: 'chat', title: 'Chat', load: () => import('./views/chat.js')},
    {name: 'placement', title: 'Placement', load: () => import('./views/placement.js')},
    {name: 'cache', title: 'Cache', load: () => import('./views/cache.js')},
    {name: 'requests', title: 'Requests', load: () => import('./views/requests.js')},
    {name: 'speculation', title: 'Speculative decoding', load: () => import('./views/speculation.js')},
];

/** Key in sessionStorage: the tab was reloaded because a view failed. */
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
            // '#main' is the target of the skip link, not a view.
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
        // After an update the server no longer has the modules of an older page.
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

    /** Reloads the page: a browser may cache the failed load of a module until then. */
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

/** Reloads the page, at most once until a view is shown, so that it does not reload forever. */
function reloadOnce() {
    try {
        if (sessionStorage.getItem(RELOADED)) {
            return;
        }
        sessionStorage.setItem(RELOADED, 'yes');
    } catch {
        // Without sessionStorage the user has to reload.
        return;
    }
    location.reload();
}

function viewIsShown() {
    try {
        sessionStorage.removeItem(RELOADED);
    } catch {
        // Nothing was stored.
    }
}

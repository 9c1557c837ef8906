// TODO of the views' author: what the server tells of it.

import {h} from '../dom.js';

export function mount(element, server) {
    element.append(h('div.empty', {}, h('h1', {}, 'Cache')));
}

export function unmount() {
}

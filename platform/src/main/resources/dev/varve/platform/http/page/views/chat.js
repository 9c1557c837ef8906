import {h} from '../dom.js';

export function mount(element, server) {
    element.append(h('div.empty', {}, h('h1', {}, 'Chat')));
}

export function unmount() {
}

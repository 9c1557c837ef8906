// Tables that become cards on a phone.

import {h} from '../dom.js';

/**
 * Creates a table.
 *
 * @param {string} caption caption for screen readers
 * @param {(string|{title: string, number: boolean})[]} columns
 * @param {{key?: string, cells: (string|Node|null)[]}[]} rows
 */
export function table(caption, columns, rows) {
    const heads = columns.map(column => typeof column === 'string' ? {title: column} : column);
    return h('div.table-frame', {tabindex: '0', role: 'region', 'aria-label': caption},
        h('table.listing', {},
            h('caption.unseen', {}, caption),
            h('thead', {}, h('tr', {}, heads.map(({title, number}) =>
                h(number ? 'th.number' : 'th', {scope: 'col'}, title)))),
            h('tbody', {}, rows.map(({key, cells}) =>
                h('tr', {dataset: key ? {key} : {}}, cells.map((cell, index) => {
                    const {title, number} = heads[index];
                    return h((index === 0 ? 'th' : 'td') + (number ? '.number' : ''),
                        {scope: index === 0 ? 'row' : null, dataset: {title}}, cell ?? '–');
                }))))));
}

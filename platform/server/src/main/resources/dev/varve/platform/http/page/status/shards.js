// Words for shards.

import {badge} from './draw.js';

/** In which process a shard is. */
export function processWords({kind, address, pid}) {
    switch (kind) {
        case 'local': return `this server, process ${pid}`;
        case 'own': return pid ? `its own, process ${pid}` : 'its own, not running';
        default: return address ?? 'another server’s';
    }
}

/** Whether a shard can compute, in a colour and in a word. */
export function stateBadge({state}) {
    switch (state) {
        case 'ready': return badge('good', 'Ready');
        case 'loading': return badge('warn', 'Loading');
        default: return badge('bad', 'Lost');
    }
}

// Texts for shards.

import {badge} from './draw.js';

/** Process of a shard. */
export function processLabel({kind, address, pid}) {
    switch (kind) {
        case 'local': return `this server, process ${pid}`;
        case 'own': return pid ? `its own, process ${pid}` : 'its own, not running';
        default: return address ?? 'another server’s';
    }
}

/** Whether a shard can compute, as a colour and a text. */
export function stateBadge({state}) {
    switch (state) {
        case 'ready': return badge('good', 'Ready');
        case 'loading': return badge('warn', 'Loading');
        default: return badge('bad', 'Lost');
    }
}

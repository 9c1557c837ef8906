// Replicas of a model: their shards and their states.

import {h} from '../dom.js';
import {count} from '../format.js';
import {badge} from './draw.js';

/**
 * The shards by replica, in the order of their layers.
 *
 * @param {object} status the response of /status
 * @returns {{replica: object|null, shards: object[]}[]} a single one without a replica where the
 *     model has only one engine
 */
export function byReplica({placement, replicas}) {
    return replicas
        ? replicas.map(replica => ({
            replica, shards: placement.shards.filter(shard => shard.replica === replica.id),
        }))
        : [{replica: null, shards: placement.shards}];
}

/** Heading above the shards of a replica. */
export function replicaHead(replica) {
    return [
        h('h3', {}, `Replica ${replica.id}`),
        h('p', {}, replicaBadge(replica), ` ${[
            `${count(replica.running)} running`,
            `${count(replica.waiting)} waiting`,
            `${requests(replica.moved_requests)} moved to other replicas`,
            `restarted ${times(replica.restarts)}`,
        ].join(', ')}`),
    ];
}

/** Whether a replica receives requests, as a colour and a text. */
export function replicaBadge({state}) {
    switch (state) {
        case 'ready': return badge('good', 'Accepts requests');
        case 'recovering': return badge('warn', 'Lacks a shard');
        case 'draining': return badge('warn', 'Drains');
        case 'drained': return badge('warn', 'Drained');
        default: return badge('bad', 'Down');
    }
}

function requests(number) {
    return number === 1 ? '1 request' : `${count(number)} requests`;
}

function times(number) {
    return number === 1 ? 'once' : `${count(number)} times`;
}

// What the server does with a question that has no answer yet: whether it waits, and how much of it
// is read. The server says that of all requests; ours is found by the id that it was sent with.

import {wait} from '../server.js';

/** Most prompts are read sooner, and nobody wants to see them counted. */
const FIRST_MILLIS = 1000;
const NEXT_MILLIS = 700;

/**
 * Watches a question until told to stop.
 *
 * @param server
 * @param {string} requestId
 * @param {AbortSignal} signal
 * @param {(words: string) => void} tell
 */
export async function watchQuestion(server, requestId, signal, tell) {
    await wait(FIRST_MILLIS, signal);
    while (!signal.aborted) {
        try {
            const {requests} = await server.json('/requests', {signal, quiet: true});
            const ours = requests.find(each => each.request_id === requestId);
            if (ours && !signal.aborted) {
                tell(inWords(ours));
            }
        } catch {
            // Whoever waits is told of the answer, not of this.
        }
        await wait(NEXT_MILLIS, signal);
    }
}

function inWords(request) {
    switch (request.state) {
        case 'queued':
            return 'Waiting in the queue…';
        case 'parked':
            return 'Waiting for memory or for a shard…';
        case 'preparing':
            return 'Compressing the prompt…';
        case 'restoring':
            return 'Restoring the cached prefix…';
        case 'prefill': {
            const done = request.computed_tokens.toLocaleString();
            return `Computing the prompt: ${done} of ${request.prompt_tokens.toLocaleString()} tokens…`;
        }
        default:
            return 'Computing the prompt…';
    }
}

// Progress of a request without a response yet: whether it is queued, and how much of its prompt is
// computed. The server reports all requests; the page finds its own by the request id.

import {wait} from '../server.js';

/** Delay before progress is shown: most prompts are computed sooner. */
const FIRST_MILLIS = 1000;
const NEXT_MILLIS = 700;

/**
 * Watches a request until the signal aborts.
 *
 * @param server
 * @param {string} requestId
 * @param {AbortSignal} signal
 * @param {(words: string) => void} report
 */
export async function watchQuestion(server, requestId, signal, report) {
    await wait(FIRST_MILLIS, signal);
    while (!signal.aborted) {
        try {
            const {requests} = await server.json('/requests', {signal, quiet: true});
            const ours = requests.find(each => each.request_id === requestId);
            if (ours && !signal.aborted) {
                report(progressText(ours));
            }
        } catch {
            // The request itself reports the failure.
        }
        await wait(NEXT_MILLIS, signal);
    }
}

function progressText(request) {
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

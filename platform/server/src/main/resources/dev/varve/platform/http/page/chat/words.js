// What went wrong, in words for whoever chats.

/** @param {{status: number, code: string, message: string}} error */
export function inWords(error) {
    switch (error.code) {
        case 'queue_full':
            return 'The server has as many requests as it takes. Try again in a moment.';
        case 'model_loading':
            return 'The model is still being loaded.';
        case 'shutting_down':
            return 'The server is being stopped. Try again in a moment.';
        case 'shard_missing':
            return 'A part of the model is gone and is being brought back. Try again in a moment.';
        case 'context_length_exceeded':
            return `The conversation is longer than the model can take. ${sentence(error.message)}`;
        case 'model_not_found':
            return 'The server does not have this model any more. Choose another one.';
        case 'invalid_api_key':
            return 'The server does not know the key.';
        case 'operator_only':
            return 'Only who runs the server may see this.';
        case 'gone':
            return 'The server does not answer.';
        case 'stream_not_found':
        case 'stream_events_gone':
            return 'The server does not have the rest of this answer any more.';
        case 'broken_off':
            return 'The connection broke off before the answer was complete.';
        case 'out_of_memory':
            return `The server has not enough memory for this. ${sentence(error.message)}`;
        default:
            return sentence(error.message);
    }
}

/** Why an answer ended, if that is worth a word. */
export function ending(message) {
    if (message.state === 'stopped') {
        return 'Stopped';
    }
    if (message.state === 'done' && message.finish === 'length') {
        return 'Cut off: the limit of tokens was reached';
    }
    return '';
}

function sentence(text) {
    const whole = (text ?? '').trim() || 'Something went wrong';
    return whole[0].toUpperCase() + whole.slice(1) + (/[.!?]$/.test(whole) ? '' : '.');
}
